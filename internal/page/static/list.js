// The list of decisions: the rows in sight, whatever their number. The server hands out pages by the key of a line; a
// page is remembered by the key that asks for it again, and the rows of pages that are far away are let go.
import { bind } from '/static/app.js';

const list = document.getElementById('rows');
const size = 100, near = 4, margin = 12;
let pages = []; // {from, n, rows}: rows is null where they were let go
let next = '0'; // asks for what is behind the last page; '' for nothing
let total = 0, loading = false, chosen = -1, height = 30;
const drawn = new Map(); // by place in the list

async function ask(before, n) {
  const query = new URLSearchParams(location.search);
  query.set('n', n);
  if (before && before !== '0') query.set('before', before);
  const answer = await fetch('/rows?' + query);
  if (!answer.ok) throw new Error(await answer.text());
  return answer.json();
}

function count() {
  total = 0;
  for (const p of pages) {
    p.at = total;
    total += p.n;
  }
  list.style.height = total * height + 'px';
  document.getElementById('empty').hidden = total > 0 || next !== '';
}

function busy(text) {
  document.getElementById('busy').textContent = text || '';
  document.getElementById('busy').hidden = !text;
}

// more reads the page behind the last one. Where little was found in much of the log, it goes on.
async function more() {
  if (loading || next === '') return;
  loading = true;
  try {
    const b = await ask(next, size);
    next = b.next || '';
    busy(b.busy || (b.rows.length < size && next ? 'looking further back …' : ''));
    if (b.rows.length) pages.push({ from: b.from, n: b.rows.length, rows: b.rows });
    count();
    if (b.busy && b.rows.length === 0) await new Promise((done) => setTimeout(done, 500));
  } catch (e) {
    next = '';
    busy(e.message);
  }
  loading = false;
  draw();
}

async function again(p) {
  if (p.asked) return;
  p.asked = true;
  try {
    p.rows = (await ask(p.from, p.n)).rows;
  } catch (e) {
    busy(e.message);
  }
  p.asked = false;
  draw();
}

function cell(kind, text, title) {
  const span = document.createElement('span');
  span.className = kind;
  span.textContent = text;
  if (title) span.title = title;
  return span;
}

function element(row) {
  const li = document.createElement('li');
  li.className = 'row';
  if (!row) return li;
  const a = document.createElement('a');
  a.href = '/decision/' + encodeURIComponent(row.id);
  a.append(cell('when', row.when, row.time), cell('said ' + row.verdict, row.said), cell('layer', row.layer),
    cell('tool', row.tool), cell('call', row.call, row.call), cell('why', row.why, row.why), cell('agent', row.agent));
  if (row.fresh) li.classList.add('fresh');
  row.fresh = false;
  li.append(a);
  return li;
}

// draw puts the rows in sight into the page, and takes the others out.
function draw() {
  const top = list.getBoundingClientRect().top;
  const first = Math.max(0, Math.floor(-top / height) - margin);
  const end = Math.min(total, Math.ceil((innerHeight - top) / height) + margin);
  for (const [i, d] of drawn) {
    if (i < first || i >= end) {
      d.li.remove();
      drawn.delete(i);
    }
  }
  pages.forEach((p, n) => {
    const inSight = p.at < end && p.at + p.n > first;
    if (inSight && !p.rows) again(p);
    if (p.rows && !inSight && (p.at + p.n < first - near * size || p.at > end + near * size)) p.rows = null;
    if (!inSight) return;
    for (let i = Math.max(first, p.at); i < Math.min(end, p.at + p.n); i++) {
      const row = p.rows?.[i - p.at];
      if (drawn.get(i)?.row === row && drawn.has(i)) continue;
      drawn.get(i)?.li.remove();
      const li = element(row);
      li.style.transform = `translateY(${i * height}px)`;
      li.dataset.at = i;
      const after = [...drawn.keys()].filter((k) => k > i).sort((a, b) => a - b)[0];
      list.insertBefore(li, after === undefined ? null : drawn.get(after).li);
      drawn.set(i, { li, row });
    }
  });
  if (end >= total - size && next !== '') more();
}

// fresh puts new rows in front. Who reads further down keeps the place.
let seen = 0;
async function fresh() {
  const newest = pages[0]?.rows?.[0]?.key ?? pages[0]?.newest;
  const b = await ask('0', size);
  const rows = newest === undefined ? b.rows : b.rows.filter((r) => BigInt(r.key) > BigInt(newest));
  if (rows.length === 0) return;
  const away = scrollY > list.offsetTop;
  if (rows.length === size || newest === undefined) { // more than a page: begin anew
    if (away) return tell('New decisions');
    reset(b);
    return;
  }
  for (const r of rows) r.fresh = true;
  if (chosen >= 0) chosen += rows.length;
  pages.unshift({ from: b.from, n: rows.length, rows, newest: rows[0].key });
  if (pages[0].n + pages[1].n <= size && pages[1].rows) { // few by few: one page
    const [a, c] = pages.splice(0, 2);
    pages.unshift({ from: a.from, n: a.n + c.n, rows: [...a.rows, ...c.rows], newest: a.newest });
  }
  redraw();
  if (!away) return;
  scrollBy(0, rows.length * height);
  seen += rows.length;
  tell(`${seen} new`);
}

function redraw() {
  for (const d of drawn.values()) d.li.remove();
  drawn.clear();
  count();
  draw();
  if (chosen >= 0) drawn.get(chosen)?.li.querySelector('a')?.focus({ preventScroll: true });
}

function reset(b) {
  pages = b.rows.length ? [{ from: b.from, n: b.rows.length, rows: b.rows, newest: b.rows[0].key }] : [];
  next = b.next || '';
  busy(b.busy);
  redraw();
}

const button = document.getElementById('new');
function tell(text) {
  button.textContent = text;
  button.hidden = false;
}
button.onclick = async () => {
  button.hidden = true;
  seen = 0;
  scrollTo(0, 0);
  reset(await ask('0', size));
};

function move(by) {
  const focused = document.activeElement.closest?.('#rows li');
  if (focused) chosen = Number(focused.dataset.at);
  chosen = Math.min(Math.max(chosen + by, 0), total - 1);
  const top = list.getBoundingClientRect().top + chosen * height;
  if (top < 0) scrollBy(0, top - height);
  if (top > innerHeight - 2 * height) scrollBy(0, top - innerHeight + 3 * height);
  draw();
  drawn.get(chosen)?.li.querySelector('a')?.focus({ preventScroll: true });
}
bind('j', () => move(1));
bind('k', () => move(-1));

function measure() {
  height = parseInt(getComputedStyle(document.documentElement).getPropertyValue('--row'), 10);
}

let waiting = false;
addEventListener('scroll', () => {
  if (!waiting) requestAnimationFrame(() => ((waiting = false), draw()));
  waiting = true;
  if (scrollY <= list.offsetTop) {
    button.hidden = true;
    seen = 0;
  }
}, { passive: true });
addEventListener('resize', () => (measure(), redraw()));

let asking = false, askAgain = false;
async function onLines() {
  if (asking) return void (askAgain = true);
  asking = true;
  do {
    askAgain = false;
    await fresh().catch((e) => busy(e.message));
  } while (askAgain);
  asking = false;
}

measure();
const first = await ask('0', size);
list.replaceChildren();
list.classList.add('windowed');
document.getElementById('older').hidden = true;
reset(first);
document.addEventListener('lines', onLines);

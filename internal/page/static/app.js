// What all pages share: the stream of news, the keys, the countdown. Texts go into the page as textContent alone.
const $ = (id) => document.getElementById(id);

// The stream says that something is new. One page of a browser listens, and tells the others: a browser has few
// connections to one server.
const others = new BroadcastChannel('nod');
others.onmessage = (m) => (m.data.live ? live(m.data.live) : news(m.data));
function tell(what) {
  others.postMessage(what);
  return what;
}
function listen() {
  const stream = new EventSource('/events');
  stream.onopen = () => live(tell({ live: 'live' }).live);
  stream.onerror = () => {
    live(tell({ live: 'not live: nod ui does not answer, or the session is over' }).live);
    if (stream.readyState === EventSource.CLOSED) setTimeout(listen, 5000);
  };
  stream.onmessage = (m) => news(tell(JSON.parse(m.data)));
  addEventListener('pagehide', () => stream.close());
}
navigator.locks.request('nod', () => new Promise(listen)).catch(() => {}); // held until the page goes

function live(text) {
  if ($('live').textContent !== text) $('live').textContent = text;
}

let last;
function news(now) {
  const n = now.questions.length;
  $('waiting').textContent = n;
  $('waiting').hidden = n === 0;
  document.title = document.title.replace(/^(\(\d+\) )?/, n ? `(${n}) ` : '');
  const shown = [...document.querySelectorAll('#queue a')].map((a) => a.dataset.id);
  if ($('queue') && shown.join() !== now.questions.join()) location.reload();
  const form = $('answer');
  if (form && !now.questions.includes(form.dataset.id)) over(form);
  if (last === undefined || now.lines !== last) document.dispatchEvent(new CustomEvent('lines'));
  last = now.lines;
}

function over(form) {
  const p = document.createElement('p');
  p.setAttribute('role', 'alert');
  p.textContent = 'This question is over: it was answered, its time is up, or its agent has gone.';
  form.replaceWith(p);
  for (const t of document.querySelectorAll('time.left')) t.textContent = 'none';
}

// Countdowns: the server says how much is left, so that clocks may differ.
const began = performance.now();
function seconds(text) {
  return [...text.matchAll(/(\d+)([hms])/g)].reduce((n, m) => n + m[1] * { h: 3600, m: 60, s: 1 }[m[2]], 0);
}
function countdown() {
  for (const t of document.querySelectorAll('time.left[data-left]')) {
    const s = Math.max(0, Math.round(seconds(t.dataset.left) - (performance.now() - began) / 1000));
    t.textContent = `${Math.floor(s / 60)}:${String(s % 60).padStart(2, '0')}`;
  }
}
setInterval(countdown, 1000);
countdown();

// Empty fields stay out of the address.
for (const form of document.querySelectorAll('form[role=search]')) {
  form.addEventListener('submit', () => {
    for (const field of form.elements) if (field.name && !field.value) field.disabled = true;
  });
  form.addEventListener('change', (e) => e.target.matches('select') && form.requestSubmit());
}
addEventListener('pageshow', () => {
  for (const field of document.querySelectorAll('form[role=search] :disabled')) field.disabled = false;
});

// An answer by key is asked once more.
function sure(button) {
  if (!button) return;
  $('sure-title').textContent = button.textContent.replace(' …', '') + '?';
  $('sure-text').textContent = document.querySelector('.lead').textContent;
  $('sure').returnValue = '';
  $('sure').showModal();
  $('sure-yes').focus();
  $('sure').onclose = () => $('sure').returnValue === 'yes' && button.isConnected && button.click();
}

function step(by) {
  const links = [...document.querySelectorAll('#queue a, .rules a')];
  const at = links.indexOf(document.activeElement);
  links[Math.min(Math.max(at + by, 0), links.length - 1)]?.focus();
}

const keys = {
  j: () => step(1),
  k: () => step(-1),
  '/': () => $('text') && ($('text').focus(), $('text').select()),
  '?': () => $('keys').showModal(),
  y: () => sure(document.querySelector('#answer button[value=once]')),
  n: () => sure(document.querySelector('#answer button[value=no]')),
  d: () => location.assign('/'),
  q: () => location.assign('/questions'),
  c: () => location.assign('/charts'),
  r: () => location.assign('/rules'),
};
export const bind = (key, does) => (keys[key] = does);

addEventListener('keydown', (e) => {
  if (e.ctrlKey || e.metaKey || e.altKey || document.querySelector('dialog[open]')) return;
  if (e.target.matches('input, select, textarea')) {
    if (e.key === 'Escape') e.target.blur();
    return;
  }
  if (!keys[e.key]) return;
  e.preventDefault();
  keys[e.key]();
});

if ($('rows') && !('paged' in $('rows').dataset)) import('/static/list.js');
if ($('charts')) import('/static/charts.js');

// The charts: uPlot, in the colours of the page.
import uPlot from '/static/uplot.js';

const place = document.getElementById('charts');
const data = await (await fetch('/charts/data?' + place.dataset.query)).json();
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const drawn = [];

// stacked sums the lines up, so that each is drawn above the next.
function stacked(names) {
  const sums = names.map((name) => (data[name] ?? data.time.map(() => 0)).slice());
  for (let i = sums.length - 2; i >= 0; i--) sums[i] = sums[i].map((v, at) => v + sums[i + 1][at]);
  return sums;
}

const tints = ['#4e79a7', '#76a5af', '#59a14f', '#b6992d', '#9c755f', '#b07aa1', '#8f959c'];

function section(title) {
  const section = document.createElement('section');
  const head = document.createElement('h2');
  head.textContent = title;
  section.append(head);
  place.append(section);
  return section;
}

const hours = data.time.length > 1 && data.time[1] - data.time[0] < 86400;
const moment = (s) => new Date(s * 1000).toLocaleString('en', hours ?
  { month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit', hour12: false } :
  { month: 'short', day: 'numeric' });

function chart(section, names, { stack = false, colours = tints, unit = (v) => String(v) }) {
  const raw = names.map((name) => data[name] ?? data.time.map(() => 0));
  const axis = { stroke: colour('--muted'), grid: { stroke: colour('--line'), width: 1 },
    ticks: { stroke: colour('--line'), width: 1 }, font: '12px system-ui, "DejaVu Sans", sans-serif' };
  const options = {
    width: section.clientWidth, height: 220, cursor: { y: false, drag: { x: false } },
    scales: { y: { range: (u, low, high) => [0, high > 0 ? high * 1.08 : 1] } },
    axes: [{ ...axis, values: (u, list) => list.map(moment), space: hours ? 110 : 60 },
      { ...axis, size: 70, values: (u, list) => list.map(unit) }],
    series: [{ label: 'time', value: (u, v) => (v == null ? '' : moment(v)) }, ...names.map((name, i) => ({
      label: name, stroke: colours[i], width: stack ? 1 : 1.75, fill: stack ? `color-mix(in srgb, ${colours[i]} 55%, ${colour('--back')})` : undefined,
      points: { show: data.time.length < 3 }, value: (u, v, s, at) => (at == null ? '' : unit(raw[i][at])),
    }))],
  };
  const u = new uPlot(options, [data.time, ...(stack ? stacked(names) : raw)], section);
  drawn.push({ u, section });
}

const count = (v) => Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 }).format(v);
function all() {
  for (const d of drawn.splice(0)) (d.u.destroy(), d.section.remove());
  if (data.time.length === 0) return;
  const verdicts = [colour('--allow'), colour('--ask'), colour('--deny')];
  const titles = ['Verdicts', 'Settled by layer', 'Latency, ms', 'Cost, US dollars'];
  const [a, b, c, d] = titles.map(section); // all places first: their number gives their width
  chart(a, ['allow', 'ask', 'deny'], { stack: true, colours: verdicts, unit: count });
  chart(b, ['guard', 'allowlist', 'edit', 'shell', 'approval', 'model'], { stack: true, unit: count });
  chart(c, ['p50', 'p90', 'p99'], { unit: (v) => (v >= 100 ? v.toFixed(0) : v.toFixed(1)) });
  chart(d, ['cost'], { unit: (v) => '$' + (v >= 10 ? v.toFixed(0) : v.toFixed(v >= 0.1 ? 2 : 4)) });
}
all();
document.getElementById('numbers').open = data.time.length === 0;

addEventListener('resize', () => {
  for (const d of drawn) d.u.setSize({ width: d.section.clientWidth, height: 220 });
});
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', all);

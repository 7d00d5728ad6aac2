'use strict';
// Charts as SVG, drawn when a loop is opened. Texts come from the program that ran: they are only
// ever set as text.

function make(tag, attributes, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) node.setAttribute(name, value);
  node.append(...children.filter(child => child !== null && child !== undefined));
  return node;
}

function draw(tag, attributes, text) {
  const node = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  if (text !== undefined) node.textContent = text;
  return node;
}

function durationText(ns) {
  if (ns === null || ns === undefined) return '-';
  for (const [unit, size] of [['s', 1e9], ['ms', 1e6], ['us', 1e3]])
    if (ns >= size) return Number((ns / size).toPrecision(3)) + ' ' + unit;
  return Number(ns.toPrecision(3)) + ' ns';
}

function countText(n) {
  return Math.abs(n) < 1e6 ? String(Math.round(n)) : n.toExponential(2);
}

const frame = {width: 420, height: 150, left: 60, right: 8, top: 8, bottom: 32};

// An empty chart with its axes: x from 0 to xMost, y from 0 to yMost.
function axes(label, xMost, yMost, xText, yText, xLabel) {
  const f = frame;
  const node = draw('svg', {width: f.width, height: f.height, role: 'img', 'aria-label': label,
    viewBox: `0 0 ${f.width} ${f.height}`});
  const x = value => f.left + (f.width - f.left - f.right) * (xMost > 0 ? value / xMost : 0);
  const y = value => f.height - f.bottom -
    (f.height - f.top - f.bottom) * (yMost > 0 ? value / yMost : 0);
  for (const part of [0, 0.5, 1]) {
    node.append(draw('line', {class: 'axis', x1: f.left, x2: f.width - f.right,
      y1: y(yMost * part), y2: y(yMost * part)}));
    node.append(draw('text', {x: f.left - 4, y: y(yMost * part) + 4, 'text-anchor': 'end'},
      yText(yMost * part)));
    node.append(draw('text', {x: x(xMost * part), y: f.height - f.bottom + 13,
      'text-anchor': part === 0 ? 'start' : part === 1 ? 'end' : 'middle'}, xText(xMost * part)));
  }
  node.append(draw('text', {x: f.left, y: f.height - 4}, xLabel));
  return {node, x, y};
}

// How a call's time changed: the mean of groups of calls, and the slowest of each, dashed.
function overCalls(groups) {
  const calls = groups.reduce((sum, g) => sum + g[0], 0);
  const most = Math.max(...groups.map(g => g[2]));
  const chart = axes('time of a call over the calls', calls, most, countText, durationText,
    'call; line: mean, dashed: slowest');
  for (const [which, look] of [[1, 'curve'], [2, 'most']]) {
    let at = 0;
    let path = '';
    for (const g of groups) {
      path += `${path ? 'L' : 'M'}${chart.x(at)} ${chart.y(g[which])}`;
      at += g[0];
      path += `L${chart.x(at)} ${chart.y(g[which])}`;
    }
    chart.node.append(draw('path', {class: look, d: path}));
  }
  return chart.node;
}

// Where in the loop the cost lies: pairs of iterations and what each of them costs.
function overIterations(pairs) {
  const iterations = pairs.reduce((sum, p) => sum + p[0], 0);
  const most = Math.max(...pairs.map(p => p[1]));
  const chart = axes('cost of an iteration over the loop', iterations, most, countText,
    durationText, 'iteration');
  let at = 0;
  for (const [count, ns] of pairs) {
    chart.node.append(draw('rect', {class: 'column', x: chart.x(at), y: chart.y(ns),
      width: Math.max(chart.x(at + count) - chart.x(at), 0.5),
      height: chart.y(0) - chart.y(ns)}));
    at += count;
  }
  return chart.node;
}

// How many iterations cost how much: columns between powers of two.
function histogram(bins) {
  const low = Math.log2(Math.max(bins[0][0], 1));
  const high = Math.log2(bins[bins.length - 1][1]);
  const most = Math.max(...bins.map(b => b[2]));
  const chart = axes('iterations by their cost', high - low, most,
    power => durationText(2 ** (power + low)), countText, 'cost of an iteration');
  for (const [from, to, count] of bins) {
    const left = chart.x(Math.log2(Math.max(from, 1)) - low);
    const bar = draw('rect', {class: 'column', x: left + 0.5, y: chart.y(count),
      width: Math.max(chart.x(Math.log2(to) - low) - left - 1, 1),
      height: chart.y(0) - chart.y(count)});
    bar.append(draw('title', {},
      `${countText(count)} iterations of ${durationText(from)} to ${durationText(to)}`));
    chart.node.append(bar);
  }
  return chart.node;
}

// What each worker did in the slowest call. The wheel and + and - zoom, dragging and the arrow
// keys pan, 0 shows all.
function timeline(slowest) {
  const line = 16;
  const left = 60;
  const width = 860;
  const height = slowest.workers.length * line + 20;
  const node = draw('svg', {width, height, viewBox: `0 0 ${width} ${height}`, tabindex: 0,
    role: 'img', 'aria-label': 'workers in the slowest call'});
  let from = 0;
  let to = slowest.ns;
  function paint() {
    node.replaceChildren();
    const x = ns => left + (width - left) * (ns - from) / (to - from);
    const part = (y, begin, end, what, ns) => {
      const a = Math.max(x(begin), left);
      const b = Math.min(x(end), width);
      if (b <= a) return;
      const bar = draw('rect', {class: what, x: a, y: y + 2, width: b - a, height: line - 4});
      bar.append(draw('title', {}, `${what}: ${durationText(ns)}`));
      node.append(bar);
    };
    slowest.workers.forEach(([entered, leaves, busy], w) => {
      const y = w * line;
      node.append(draw('text', {x: 0, y: y + 12}, `worker ${w}`));
      const inCode = entered + Math.min(busy, leaves - entered);
      part(y, 0, entered, 'idle', entered);
      part(y, entered, inCode, 'work', busy);
      part(y, inCode, leaves, 'scheduling', leaves - inCode);
      part(y, leaves, slowest.ns, 'waiting', slowest.ns - leaves);
    });
    node.append(draw('text', {x: left, y: height - 4}, durationText(from)));
    node.append(draw('text', {x: width, y: height - 4, 'text-anchor': 'end'}, durationText(to)));
  }
  function show(begin, end) {
    const length = Math.min(Math.max(end - begin, slowest.ns / 1e4), slowest.ns);
    from = Math.min(Math.max(begin, 0), slowest.ns - length);
    to = from + length;
    paint();
  }
  function zoom(times, at) {
    show(at - (at - from) * times, at + (to - at) * times);
  }
  const pan = parts => show(from + (to - from) * parts, to + (to - from) * parts);
  node.addEventListener('wheel', event => {
    event.preventDefault();
    const place = (event.offsetX - left) / (width - left);
    zoom(event.deltaY < 0 ? 0.8 : 1.25, from + (to - from) * Math.min(Math.max(place, 0), 1));
  }, {passive: false});
  node.addEventListener('pointermove', event => {
    if (event.buttons === 1) pan(-event.movementX / (width - left));
  });
  node.addEventListener('keydown', event => {
    const keys = {'+': () => zoom(0.8, (from + to) / 2), '-': () => zoom(1.25, (from + to) / 2),
      ArrowLeft: () => pan(-0.1), ArrowRight: () => pan(0.1), 0: () => show(0, slowest.ns)};
    if (!keys[event.key]) return;
    event.preventDefault();
    event.stopPropagation();
    keys[event.key]();
  });
  paint();
  return node;
}

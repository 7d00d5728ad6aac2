// The table: of loops, of two reports' differences, or of what was compared; a view says which
// columns it has, and what opens under a row.

const data = JSON.parse(document.getElementById('data').textContent);
const byId = id => document.getElementById(id);
const percent = part => part === null || part === undefined ? '-' : (100 * part).toFixed(1) + '%';
const ratio = value => value === null || value === undefined ? '-' : value.toFixed(2);

// A column: its head, what it sorts by, its text (or a node), and whether it is a number.
function column(head, key, show, isNumber = true) {
  return {head, key, show: show || (loop => String(key(loop))), isNumber};
}

function section(title, ...content) {
  return make('section', {}, make('h2', {}, title), ...content);
}

const views = {'doall-report': reportView, 'doall-diff': diffView, 'doall-compare': compareView};
const view = views[data.schema.split('/')[0]](data);

function toggle(row, loop) {
  const open = row.nextSibling;
  if (open && open.classList.contains('details')) {
    open.remove();
    row.setAttribute('aria-expanded', 'false');
    return;
  }
  row.setAttribute('aria-expanded', 'true');
  row.after(make('tr', {class: 'details'},
    make('td', {colspan: view.columns.length}, view.details(loop))));
}

function makeRow(loop) {
  const row = make('tr', {class: loop.best ? 'loop best' : 'loop', tabindex: 0});
  for (const c of view.columns) {
    const look = c.isNumber ? 'number' : c.head === 'where' ? 'where' : '';
    row.append(make('td', {class: look}, c.show(loop)));
  }
  if (!view.details) return row;
  row.setAttribute('aria-expanded', 'false');
  row.addEventListener('click', () => toggle(row, loop));
  return row;
}

// Rows are made once, and once more when they are merged; sorting moves them, searching hides them.
const rowsOf = loops => loops.map(loop => ({loop, row: makeRow(loop),
  text: view.text(loop).join(' ').toLowerCase()}));
let rows = rowsOf(view.rows);
let sorted = () => {};

function sortBy(c, head, descending) {
  for (const other of byId('heads').children) other.removeAttribute('aria-sort');
  head.setAttribute('aria-sort', descending ? 'descending' : 'ascending');
  sorted = () => sortBy(c, head, descending);
  const missing = value => value === null || value === undefined;
  rows.sort((one, two) => {
    const a = c.key(one.loop);
    const b = c.key(two.loop);
    if (missing(a) || missing(b)) return missing(a) - missing(b);
    const order = typeof a === 'string' ? a.localeCompare(b) : a - b;
    return descending ? -order : order;
  });
  const all = document.createDocumentFragment();
  for (const {row} of rows) {
    const open = row.nextSibling;
    all.append(row);
    if (open && open.classList.contains('details')) all.append(open);
  }
  byId('rows').append(all);
  unfold();
}

// A table of a thousand rows takes the browser a second to lay out. So as many of the rows that are
// found are laid out as a reader can have scrolled to.
const stretch = 200;
let reach = stretch;

function unfold() {
  let before = 0;
  for (const {row} of rows) row.classList.toggle('below', !row.hidden && ++before > reach);
}

function reachFurther() {
  if (reach >= rows.length) return;
  reach += stretch;
  unfold();
}

function search() {
  const groupOf = view.group[1];
  const wanted = byId('search').value.toLowerCase();
  const group = byId('group').value;
  let shown = 0;
  for (const {loop, row, text} of rows) {
    row.hidden = !text.includes(wanted) || (group !== '' && groupOf(loop) !== group);
    const open = row.nextSibling;
    if (open && open.classList.contains('details')) open.hidden = row.hidden;
    if (!row.hidden) ++shown;
  }
  unfold();
  byId('count').textContent = `${shown} of ${rows.length}`;
}

// One line for all processes, or one for each.
function merge() {
  rows = rowsOf(byId('merge').checked ? view.merge.rows : view.rows);
  byId('rows').replaceChildren();
  sorted();
  search();
}

function neighbour(row, forwards) {
  const next = forwards ? 'nextSibling' : 'previousSibling';
  let at = row[next];
  while (at && (at.hidden || !at.classList.contains('loop'))) at = at[next];
  return at;
}

function begin() {
  document.title = byId('title').textContent = view.title;
  byId('first').textContent = data.first;
  byId('about').textContent = view.about;
  byId('by').textContent = `by doall ${data.doall}, commit ${data.commit || 'not known'}`;
  byId('search').placeholder = view.hint;
  const [groupName, groupOf] = view.group;
  byId('group-name').textContent = groupName;
  for (const group of new Set(view.rows.map(groupOf)))
    byId('group').append(make('option', {}, group));
  for (const colour of view.colours)
    byId('key').append(make('span', {}, make('i', {class: colour}), colour));
  view.columns.forEach(c => {
    const head = make('th', {scope: 'col'}, make('button', {type: 'button'}, c.head));
    head.addEventListener('click', () =>
      sortBy(c, head, head.getAttribute('aria-sort') ?
        head.getAttribute('aria-sort') === 'ascending' : c.isNumber || c.show === splitBar));
    byId('heads').append(head);
  });
  const [firstHead, descending] = view.first;
  const firstColumn = view.columns.findIndex(c => c.head === firstHead);
  sortBy(view.columns[firstColumn], byId('heads').children[firstColumn], descending);
  search();
  if (view.merge) {
    const box = make('input', {type: 'checkbox', id: 'merge'});
    byId('count').before(make('label', {}, box, ' ' + view.merge.label));
    box.addEventListener('change', merge);
  }
  byId('search').addEventListener('input', search);
  byId('group').addEventListener('change', search);
  document.addEventListener('keydown', event => {
    if (event.key === '/' && event.target !== byId('search')) {
      event.preventDefault();
      byId('search').focus();
    }
    if (!event.target.classList || !event.target.classList.contains('loop')) return;
    if (event.key === 'Enter' || event.key === ' ') event.target.click();
    else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      const next = neighbour(event.target, event.key === 'ArrowDown');
      if (next?.classList.contains('below')) reachFurther();
      next?.focus();
    } else return;
    event.preventDefault();
  });
  new IntersectionObserver(seen => seen.some(one => one.isIntersecting) && reachFurther(),
    {rootMargin: '1000px'}).observe(byId('end'));
  window.addEventListener('beforeprint', () => {
    reach = rows.length;
    unfold();
    const few = rows.filter(({row}) => !row.hidden).slice(0, 5);
    if (!view.details) return;
    for (const {row, loop} of few)
      if (row.getAttribute('aria-expanded') === 'false') toggle(row, loop);
  });
}

begin();

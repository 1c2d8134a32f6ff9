/** The single keys that work on a list: from row to row, and to the filters. */

const isThere = (one: HTMLElement) => one.checkVisibility() && !one.matches(":disabled");
const find = (selector: string) =>
  [...document.querySelectorAll<HTMLElement>(selector)].filter(isThere);

/** Goes to the next or previous row that opens, or to the first; Enter opens it. */
function moveToRow(step: 1 | -1): void {
  const rows = find("#main [data-opens-row]");
  const current = document.activeElement?.closest("tr");
  const place = rows.findIndex((row) => row.closest("tr") === current);
  const next = place < 0 ? 0 : Math.min(rows.length - 1, Math.max(0, place + step));
  rows[next]?.focus();
  rows[next]?.scrollIntoView({ block: "nearest" });
}

/** `goToFilters` opens the filters of Logs on a phone, where they are behind a button. */
function goToFilters(): void {
  const [first] = find(
    "#main [data-filters] :is(select, input), #main [data-filters]:is(button), #main [role=group] select",
  );
  first?.focus();
}

export function pressListKey(key: "f" | "j" | "k"): void {
  if (key === "f") goToFilters();
  else moveToRow(key === "j" ? 1 : -1);
}

/** Fails the build when a page would load more than we allow. */
import { pageSizes } from "./page-sizes.ts";

let over = false;
for (const { what, size, budget } of pageSizes()) {
  const isOver = budget !== undefined && size > budget.most;
  over ||= isOver;
  const mark = isOver ? "OVER" : "ok  ";
  const allowed = budget ? ` of ${budget.most}, goal ${budget.goal}` : "";
  console.log(`${mark} ${what.padEnd(36)} ${size.toFixed(1).padStart(7)} kB${allowed}`);
}
if (over) {
  console.error("A page loads more than its budget allows: find what was added, or move it behind an import().");
  process.exitCode = 1;
}

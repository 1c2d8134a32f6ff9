/** Fails the build when a page would load more than we allow. */
import { pageSizes } from "./page-sizes.ts";

/** Lists are told but not stopped yet: what they share with every page takes nearly all of it (docs/decisions/0010). */
const onlyTold = (what: string) => what.endsWith("-list-page");

let over = false;
for (const { what, size, limit } of pageSizes()) {
  const exceeded = limit !== undefined && size > limit;
  over ||= exceeded && !onlyTold(what);
  console.log(
    `${exceeded ? "OVER" : "ok  "} ${what.padEnd(36)} ${size.toFixed(1).padStart(7)} kB${limit === undefined ? "" : ` of ${limit}`}`,
  );
}
if (over) {
  console.error("A page loads more than its budget allows: find what was added, or move it behind an import().");
  process.exitCode = 1;
}

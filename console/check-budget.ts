/** Fails the build when a page exceeds its size budget. */
import { filesMax, pageSizes } from "./page-sizes.ts";

let over = false;
for (const { name, size, files, budget } of pageSizes()) {
  const isOver = budget !== undefined && (size > budget || files > filesMax);
  over ||= isOver;
  const verdict = isOver ? "OVER" : "ok  ";
  const allowed = budget ? ` of ${budget}` : "";
  const count = files > 0 ? ` in ${files} files` : "";
  console.log(`${verdict} ${name.padEnd(36)} ${size.toFixed(1).padStart(7)} kB${allowed}${count}`);
}
if (over) {
  console.error(
    "A page loads more than its budget allows: find what was added, move it behind an import(), or see shared-chunks.ts.",
  );
  process.exitCode = 1;
}

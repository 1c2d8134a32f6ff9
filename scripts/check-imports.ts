// `npm run arrows`: fails on an import that points the wrong way and on a name that two files
// declare. The rules are in arrows.ts and unique-names.ts.
import { findWrongArrows } from "./arrows.ts";
import { readScriptOptions } from "./script-options.ts";
import { readSourceFiles } from "./source-files.ts";
import { findNameClashes } from "./unique-names.ts";

readScriptOptions({
  command: "npm run arrows",
  summary: "fails on an import that points the wrong way and on a name that two files declare",
  options: {},
});
const sources = readSourceFiles();
const violations = [...findWrongArrows(sources), ...findNameClashes(sources)];
for (const { file, line, message } of violations) console.log(`${file}:${line} ${message}`);
console.log(`${sources.size} files, ${violations.length} violations`);
process.exitCode = violations.length === 0 ? 0 : 1;

/**
 * Preloaded by a lane's threads and by every thread that they start: one source file is taken from a text instead of from
 * the disk, so that nobody's working tree is ever touched.
 */
import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { pathToFileURL } from "node:url";

/** What is served: `file` is absolute. */
export interface SourceOverride {
  file: string;
  text: string;
}

/** Names the file in which the `ServedText` of this moment stands, as JSON. */
export const sourceOverrideVariable = "TOLLGATE_SERVED_TEXT";

const servedAt = process.env[sourceOverrideVariable];
if (servedAt !== undefined) {
  registerHooks({
    load(requested, context, next) {
      // A thread may have been started before this text was: what is served is read when it is loaded.
      const isOurs = requested.startsWith("file:") && !requested.includes("/node_modules/");
      const served = isOurs ? (JSON.parse(readFileSync(servedAt, "utf8")) as SourceOverride) : undefined;
      return served && requested === pathToFileURL(served.file).href
        ? { format: "module-typescript", source: served.text, shortCircuit: true }
        : next(requested, context);
    },
  });
}

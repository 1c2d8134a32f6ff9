/**
 * Preloaded by a lane's threads and by every thread that they start: Node loads one source file
 * from a text instead of from the disk, so the working tree never changes.
 */
import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { pathToFileURL } from "node:url";

/** `file` is an absolute path. */
export interface SourceOverride {
  file: string;
  text: string;
}

/**
 * The environment variable with the path of a file that contains the current `SourceOverride` as
 * JSON.
 */
export const sourceOverrideVariable = "TOLLGATE_SERVED_TEXT";

const servedAt = process.env[sourceOverrideVariable];
if (servedAt !== undefined) {
  registerHooks({
    load(requested, context, next) {
      // A thread may be older than the current text, so the file is read at each load.
      const isOurs = requested.startsWith("file:") && !requested.includes("/node_modules/");
      const served = isOurs
        ? (JSON.parse(readFileSync(servedAt, "utf8")) as SourceOverride)
        : undefined;
      return served && requested === pathToFileURL(served.file).href
        ? { format: "module-typescript", source: served.text, shortCircuit: true }
        : next(requested, context);
    },
  });
}

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");

/** `collectGarbage` holds all of it, at once, without a flag at the start of the program. */
export const collectGarbage = runInNewContext("gc") as () => void;

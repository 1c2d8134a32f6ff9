/**
 * Compares one password with one bcrypt hash, in a thread of its own: a comparison takes a tenth of
 * a second of a core.
 */
import { parentPort, workerData } from "node:worker_threads";
import { compareSync } from "bcryptjs";

const { candidates, hash } = workerData as { candidates: readonly string[]; hash: string };
parentPort?.postMessage(candidates.some((password) => compareSync(password, hash)));

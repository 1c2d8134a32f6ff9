// `npm run trust`: every test that carries a promise of docs/trust.md, and one line for each promise.
import { runPromises } from "./trust-promises.ts";

await runPromises();

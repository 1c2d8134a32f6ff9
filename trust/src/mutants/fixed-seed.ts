/** The same generated cases for every mutant, without a search for the smallest failing one. */
import * as fc from "fast-check";

fc.configureGlobal({ seed: 20_261_121, endOnFailure: true });

/** The same generated cases for every mutant, and no search for the smallest one that fails: that it fails is enough. */
import * as fc from "fast-check";

fc.configureGlobal({ seed: 20_261_121, endOnFailure: true });

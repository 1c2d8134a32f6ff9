import type { CreatedCodes } from "./use-code-creation.ts";

/** The codes that the form has just created, for the list that is shown next: in memory alone, never in the history. */
let announced: CreatedCodes | undefined;

export const announceCodes = (codes: CreatedCodes): void => {
  announced = codes;
};
export const announcedCodes = (): CreatedCodes | undefined => announced;
export const forgetCodes = (): void => {
  announced = undefined;
};

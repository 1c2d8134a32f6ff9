/** How lines of problems and figures read in every large run. */

export const timeOfDay = (): string => new Date().toISOString().slice(11, 19);

export const showProblems = (problems: readonly string[]): void => {
  for (const problem of problems) console.error(problem);
};

/** The end of a line of figures. */
export const ending = (good: string, problems: readonly string[]): string =>
  problems.length === 0 ? good : `then ${problems[0]?.split("\n")[0]}`;

/** The channel types of new-api whose numbers mean something else here. Pure. */

/** Undefined for what no channel here can be. */
const types: Readonly<Record<number, number | undefined>> = {
  2: undefined,
  4: 30,
  5: undefined,
  8: 50,
  26: 16,
  27: 50,
  33: 33,
  34: 35,
  35: 27,
  36: undefined,
  37: undefined,
  38: 50,
  39: 37,
  40: 44,
  41: 42,
  42: 28,
  43: 36,
  44: 50,
  45: 40,
  46: 47,
  47: 50,
  48: 45,
  49: 34,
  50: undefined,
  51: undefined,
  52: undefined,
  53: 50,
  54: undefined,
  55: undefined,
  56: 46,
  57: undefined,
  58: 50,
  59: 50,
  60: 50,
};
/** These have the numbers that they have here. */
const same: ReadonlySet<number> = new Set([
  1, 3, 6, 7, 9, 10, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 31,
]);

export const typeOfNewApi = (type: number): number | undefined => (same.has(type) ? type : types[type]);

/** Words that stand for addresses inside the program of new-api. */
export const addressWords: ReadonlySet<string> = new Set([
  "glm-coding-plan",
  "glm-coding-plan-international",
  "kimi-coding-plan",
  "doubao-coding-plan",
]);

/**
 * The status that the switch of a row asks for. In every resource 1 is enabled and 2 is disabled by
 * hand.
 */
export const buildToggledStatus = (status: number): 1 | 2 => (status === 1 ? 2 : 1);

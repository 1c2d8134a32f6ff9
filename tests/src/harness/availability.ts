/**
 * `Availability` says whether something that the machine must bring along is here, and if not, why.
 */
export type Availability = { available: true } | { available: false; reason: string };

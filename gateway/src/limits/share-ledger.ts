/**
 * Shares of a thing that all use: one user, or before the sign-in one source, never takes so much
 * of it that the service stops for the others. Pure.
 */

/** `sharesOfAll` says how many could take their whole share at once. */
const sharesOfAll = 8;

/**
 * The most that one may take: an eighth of all, or one item of the largest permitted size where
 * that is more.
 */
export const computeShare = (total: number, largestItem = 1): number =>
  Math.max(Math.floor(total / sharesOfAll), Math.min(largestItem, total));

/** `ShareShortage` says why there is no room: the owner has its share already, or all is taken. */
export type ShareShortage = "share" | "total";

export class ShareLedger<Owner> {
  readonly total: number;
  readonly #share: number;
  readonly #taken = new Map<Owner, number>();
  #takenByAll = 0;

  constructor(total: number, largestItem = 1) {
    this.total = total;
    this.#share = computeShare(total, largestItem);
  }

  get taken(): number {
    return this.#takenByAll;
  }

  /** `shortageOf` gives what `take` would answer; takes nothing. */
  shortageOf(owner: Owner, amount = 1): ShareShortage | undefined {
    if ((this.#taken.get(owner) ?? 0) + amount > this.#share) return "share";
    return this.#takenByAll + amount > this.total ? "total" : undefined;
  }

  /** Takes the amount, or nothing where it is short. */
  take(owner: Owner, amount = 1): ShareShortage | undefined {
    const shortage = this.shortageOf(owner, amount);
    if (shortage === undefined) this.#add(owner, amount);
    return shortage;
  }

  /** Gives back what was taken. */
  give(owner: Owner, amount = 1): void {
    this.#add(owner, -amount);
  }

  #add(owner: Owner, amount: number): void {
    const taken = (this.#taken.get(owner) ?? 0) + amount;
    if (taken > 0) this.#taken.set(owner, taken);
    else this.#taken.delete(owner);
    this.#takenByAll += amount;
  }
}

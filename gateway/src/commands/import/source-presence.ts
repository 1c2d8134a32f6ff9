/**
 * The findings of a reading of the source: by them, a later run tells what is deleted there, and
 * whether it is the same source.
 */
import type { FollowedKind, Reading } from "./import-items.ts";

/** A row of the source and the hash of its secret, which no other source has. */
export interface SourceWitness {
  kind: "token" | "code";
  sourceId: string;
  value: string;
}

/** `witnessesPerKind` counts the first rows of each kind, which were carried first. */
const witnessesPerKind = 100;

export type SourcePresence = ReturnType<typeof createSourcePresence>;

export const isDeleted = ({ item, losses }: Reading<unknown>): boolean =>
  item === undefined && losses.some(({ reason }) => reason === "deleted_in_source");

export function createSourcePresence() {
  const ids: Record<FollowedKind, Set<string>> = {
    user: new Set(),
    team: new Set(),
    token: new Set(),
    code: new Set(),
    channel: new Set(),
  };
  const witnesses: Record<SourceWitness["kind"], SourceWitness[]> = { token: [], code: [] };
  let confirmed = 0;
  return {
    witnesses: witnesses as Readonly<Record<SourceWitness["kind"], readonly SourceWitness[]>>,
    /** Accounts that were carried and have the password that they had. */
    get confirmedUsers(): number {
      return confirmed;
    },
    has: (kind: FollowedKind, sourceId: string): boolean => ids[kind].has(sourceId),
    /** A row that is there and cannot be read is there. */
    note(kind: FollowedKind, readings: readonly Reading<unknown>[]): void {
      for (const reading of readings) if (!isDeleted(reading)) ids[kind].add(reading.sourceId);
    },
    witness<Item>(
      kind: SourceWitness["kind"],
      readings: readonly Reading<Item>[],
      hashOf: (item: Item) => string,
    ): void {
      const room = Math.max(0, witnessesPerKind - witnesses[kind].length);
      for (const { sourceId, item } of readings.slice(0, room))
        if (item !== undefined) witnesses[kind].push({ kind, sourceId, value: hashOf(item) });
    },
    confirmUser(): void {
      confirmed += 1;
    },
  };
}

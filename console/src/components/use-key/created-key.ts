import type { Token } from "@tollgate/contract/tokens.ts";

/** The key of a token that was just created, for the list that is shown next: in memory alone, never in the history. */
export type CreatedKey = Pick<Token, "name" | "key" | "models">;

let created: CreatedKey | undefined;

export const announceCreatedKey = (next: CreatedKey): void => {
  created = next;
};
export const createdKey = (): CreatedKey | undefined => created;
export const forgetCreatedKey = (): void => {
  created = undefined;
};

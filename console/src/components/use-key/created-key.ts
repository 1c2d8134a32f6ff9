import type { Token } from "@tollgate/contract/accounts/tokens.ts";
import { createHandover } from "../keys/handed-over.ts";

export type CreatedKey = Pick<Token, "name" | "key" | "models">;

/** The key of a token that was just created. */
export const createdKey = createHandover<CreatedKey>();

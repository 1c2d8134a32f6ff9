import type { Token } from "@tollgate/contract/tokens.ts";
import { handedOver } from "../handed-over.ts";

export type CreatedKey = Pick<Token, "name" | "key" | "models">;

/** The key of a token that was just created. */
export const createdKey = handedOver<CreatedKey>();

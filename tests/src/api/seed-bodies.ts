// Kept contents of a call, put there as the relay does it.
import type { CallBody } from "@tollgate/contract/call-bodies.ts";
import { formatBodyObjectName } from "@tollgate/gateway/call-bodies/body-objects.ts";
import { composeBodyKey, sealBody } from "@tollgate/gateway/call-bodies/sealed-body.ts";
import type { ManagementGateway } from "./management-gateway.ts";

const part = { text: "{}", type: "application/json", is_cut: false };

interface CallOfToken {
  id: number;
  userId: number;
  tokenId: number;
  createdAt?: number;
}

/** Answers the name of the object. */
export async function addCallBody(
  { db, seal, clock, tests }: ManagementGateway,
  { id, userId, tokenId, createdAt = clock.now }: CallOfToken,
  body: CallBody = { mode: "full", request: part, answer: part },
): Promise<string> {
  const key = composeBodyKey();
  const row = { id, user_id: userId, token_id: tokenId, mode: body.mode, created_at: createdAt };
  const key_sealed = seal.seal("body-key", `call_bodies/key_sealed/${id}`, key);
  await db.write([{ query: db.sql.insertInto("call_bodies").values({ ...row, key_sealed }) }]);
  const name = formatBodyObjectName(id, createdAt);
  tests.bodies.set(name, sealBody(body, id, key));
  return name;
}

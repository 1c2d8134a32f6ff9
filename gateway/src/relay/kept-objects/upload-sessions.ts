/**
 * Uploads that clients send piece by piece. Google's libraries send the pieces without a key, to
 * the address that the first answer gave: its id is a secret of the gateway's own, and stands for
 * the key until the upload is whole.
 */
import { hash, randomBytes } from "node:crypto";
import type { Sealer } from "../../secrets/seal.ts";
import { type Database, tryWrite, type Write } from "../../storage/database.ts";
import { planFewerRows } from "../../storage/rows-per-user.ts";
import type { ProviderUploadRow } from "../../storage/tables/call-tables.ts";
import type { RelayCaller } from "../admission/api-keys.ts";
import { findRowHolder, hasOwner, type KeptOwner, readOwner } from "../admission/kept-owner.ts";

/** The slowest connections that are served need less for the largest file. */
const openForMs = 24 * 3_600_000;
const idBytes = 32;
/** `openUploadsMax` is that of one user at once: libraries send a few side by side. */
export const openUploadsMax = 100;

export interface UploadSession extends Omit<ProviderUploadRow, "address_sealed"> {
  /** `query` is what the provider's address of the upload asks for. */
  query: URLSearchParams;
}

export interface UploadSessions {
  /**
   * Resolves with the secret id that the client gets; undefined where the user has as many uploads
   * as a user may have. `also` is written in the same transaction.
   */
  begin(
    session: Omit<UploadSession, "id_hash" | "created_at">,
    also?: readonly Write[],
  ): Promise<string | undefined>;
  /** Undefined for an id that was never given, and where the upload has ended or is too old. */
  find(id: string): Promise<UploadSession | undefined>;
  /** `callerOf` says whose key began it, as it may be used now. */
  callerOf(session: Pick<UploadSession, "token_id">): Promise<RelayCaller | undefined>;
  /** Uploads of the user that have not ended. */
  count(owner: KeptOwner): Promise<number>;
  end(session: Pick<UploadSession, "id_hash">): Write;
  forget(session: Pick<UploadSession, "id_hash">): Promise<void>;
  sweep(now: number): Write;
}

interface UploadSessionsDeps {
  db: Pick<Database, "sql" | "read" | "write">;
  seal: Sealer;
  callerOfToken(tokenId: number): Promise<RelayCaller | undefined>;
  now(): number;
}

const purpose = "upload-address";
const composeContext = (idHash: string) => `provider_uploads/address_sealed/${idHash}` as const;
const hashId = (id: string): string => hash("sha256", id);

export function createUploadSessions({
  db,
  seal,
  callerOfToken,
  now,
}: UploadSessionsDeps): UploadSessions {
  const { sql, read, write } = db;
  const end = ({ id_hash }: Pick<UploadSession, "id_hash">): Write => ({
    query: sql.deleteFrom("provider_uploads").where("id_hash", "=", id_hash),
  });
  const counted = (owner: KeptOwner) => {
    const rows = sql.selectFrom("provider_uploads").where(hasOwner(owner));
    return rows.select(({ fn }) => fn.countAll<number>().as("count"));
  };
  return {
    async begin({ query, ...session }, also = []) {
      const id = randomBytes(idBytes).toString("base64url");
      const id_hash = hashId(id);
      const address_sealed = seal.seal(purpose, composeContext(id_hash), query.toString());
      const row: ProviderUploadRow = { ...session, id_hash, address_sealed, created_at: now() };
      const isAllowed = planFewerRows(db, findRowHolder(row), counted(readOwner(row)), {
        max: openUploadsMax,
      });
      const insert = { query: sql.insertInto("provider_uploads").values(row) };
      const rejected = await tryWrite(db, [...isAllowed, insert, ...also]);
      return rejected ? undefined : id;
    },
    async find(id) {
      const rows = sql.selectFrom("provider_uploads").selectAll().where("id_hash", "=", hashId(id));
      const [row] = await read(rows.where("created_at", ">", now() - openForMs));
      if (!row) return undefined;
      const { address_sealed, ...session } = row;
      return {
        ...session,
        query: new URLSearchParams(seal.open(purpose, composeContext(row.id_hash), address_sealed)),
      };
    },
    callerOf: ({ token_id }) => callerOfToken(token_id),
    async count(owner) {
      const [row] = await read(counted(owner));
      return Number(row?.count ?? 0);
    },
    end,
    async forget(session) {
      await write([end(session)]);
    },
    sweep: (at) => ({
      query: sql.deleteFrom("provider_uploads").where("created_at", "<", at - openForMs),
    }),
  };
}

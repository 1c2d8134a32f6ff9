/**
 * Names, addresses, codes and identities, which are unique among accounts and in use, here or by
 * rows before.
 */
import { createHash } from "node:crypto";
import type { ExternalAccountProvider } from "@tollgate/contract/accounts/external-sign-in.ts";
import { roles } from "@tollgate/contract/accounts/roles.ts";
import type { ImportLossReason } from "@tollgate/contract/commands/import-losses.ts";
import {
  foldUsername,
  isAcceptedUsername,
  isReservedUsername,
} from "../../../accounts/identity/users/username-rules.ts";
import type { Database } from "../../../storage/database.ts";
import type { SourceUser } from "../import-items.ts";

const pageSize = 5_000;
const deletedStatus = 3;
/**
 * The length that the table of accounts shows; a longer name is cut, and ends in the id of its row.
 */
const nameMax = 64;

/** Ids may be longer than names; a part of their hash is as distinct. */
const suffixMax = 20;
const readSuffix = (sourceId: string): string =>
  sourceId.length <= suffixMax
    ? sourceId
    : createHash("sha256").update(sourceId).digest("hex").slice(0, 8);

export interface ChosenNames {
  username: string;
  /** Another account's name looks the same, so this one is matched exactly alone. */
  isLookAlike: boolean;
  email: string;
  invitationCode: string | undefined;
  externalAccounts: readonly { provider: ExternalAccountProvider; externalId: string }[];
  problems: readonly { reason: ImportLossReason; field: string; value: string }[];
}

export type TakenNames = Awaited<ReturnType<typeof readTakenNames>>;

/**
 * `oidcAccounts`: whose people the source's OpenID Connect accounts are. `keepRoot`: names of
 * accounts of role 100 that keep it, and with it the name root.
 */
export async function readTakenNames(
  { sql, read }: Pick<Database, "sql" | "read">,
  {
    keepRoot,
    oidcAccounts,
  }: { keepRoot: ReadonlySet<string>; oidcAccounts: ExternalAccountProvider | undefined },
) {
  const names = new Set<string>();
  const folded = new Set<string>();
  const emails = new Set<string>();
  for (let after = 0; ; ) {
    const page = await read(
      sql
        .selectFrom("users")
        .select(["id", "username", "email"])
        .where("status", "<>", deletedStatus)
        .where("id", ">", after)
        .orderBy("id")
        .limit(pageSize),
    );
    for (const { username, email } of page) {
      names.add(username);
      folded.add(foldUsername(username));
      if (email !== "") emails.add(email.toLowerCase());
    }
    after = page.at(-1)?.id ?? after;
    if (page.length < pageSize) break;
  }
  const codes = new Set(
    (await read(sql.selectFrom("invitation_codes").select("code"))).map(({ code }) => code),
  );
  const identities = new Set(
    (await read(sql.selectFrom("external_accounts").select(["provider", "external_id"]))).map(
      ({ provider, external_id }) => `${provider} ${external_id}`,
    ),
  );

  return {
    /** The first row that asks for a name gets it: the lowest id of the source. */
    take(sourceId: string, user: SourceUser): ChosenNames {
      const problems: ChosenNames["problems"][number][] = [];
      const lose = (reason: ImportLossReason, field: string, value: string) =>
        void problems.push({ reason, field, value });
      const isTooLong = user.username.length > nameMax;
      const suffix = readSuffix(sourceId);
      const suffixed = `${user.username.slice(0, nameMax - suffix.length - 1)}-${suffix}`;
      const isKeptRoot = user.role === roles.root && keepRoot.has(user.username);
      const isReserved = isReservedUsername(user.username) && !isKeptRoot;
      const username =
        names.has(user.username) || isTooLong || isReserved ? suffixed : user.username;
      const isLookAlike = folded.has(foldUsername(username));
      if (username !== user.username) lose("name_taken", "username", username);
      else if (isLookAlike || !isAcceptedUsername(username))
        lose("name_unusual", "username", username);
      names.add(username);
      folded.add(foldUsername(username));

      const isMailTaken = user.email !== "" && emails.has(user.email.toLowerCase());
      if (isMailTaken) lose("email_taken", "email", user.email);
      else if (user.email !== "") emails.add(user.email.toLowerCase());

      const isCodeTaken = user.invitationCode !== undefined && codes.has(user.invitationCode);
      if (isCodeTaken) lose("invitation_code_taken", "aff_code", user.invitationCode ?? "");
      else if (user.invitationCode !== undefined) codes.add(user.invitationCode);

      const externalAccounts = user.externalAccounts.flatMap(({ provider: kind, externalId }) => {
        const provider = kind === "oidc" ? oidcAccounts : kind;
        const identity = `${provider} ${externalId}`;
        if (provider === undefined) lose("sign_in_not_served", "oidc_id", "");
        else if (identities.has(identity)) lose("identity_taken", kind, "");
        else {
          identities.add(identity);
          return [{ provider, externalId }];
        }
        return [];
      });
      return {
        username,
        isLookAlike,
        email: isMailTaken ? "" : user.email,
        invitationCode: isCodeTaken ? undefined : user.invitationCode,
        externalAccounts,
        problems,
      };
    },
  };
}

/** SQL on users and their wallets. */

import { userStatus } from "@tollgate/contract/accounts/roles.ts";
import type { searchUsers } from "@tollgate/contract/accounts/user-admin.ts";
import type { QueryOf } from "@tollgate/contract/api/endpoint.ts";
import type { Reference } from "@tollgate/contract/api/ids.ts";
import {
  type Insertable,
  type RawBuilder,
  sql as raw,
  type Selectable,
  type Updateable,
} from "kysely";
import { planInheritedBudgets } from "../../../money/holds/inherited-budgets.ts";
import type { Database, Write } from "../../../storage/database.ts";
import {
  byLetters,
  byReference,
  isOtherThan,
  matchesKeyword,
  type PagedRows,
  readPagedList,
} from "../../../storage/paged-list.ts";
import type { UserRow } from "../../../storage/tables/account-tables.ts";
import { foldUsername } from "./username-rules.ts";

export type UserAccount = Selectable<UserRow> & {
  balance: number;
  held: number;
  debt: number;
  inviter_uuid: string | null;
};

type UserListQuery = QueryOf<typeof searchUsers>;
/** The counters change with the calls that they count. */
type UserColumnsChange = Omit<
  Updateable<UserRow>,
  "id" | "used_quota" | "request_count" | "username_key"
>;

export interface AccountWithWallet {
  row: Omit<Insertable<UserRow>, "id" | "wallet_id" | "used_quota" | "username_key">;
  walletUuid: string;
  /** An imported name that looks like another account's, which keeps the folded form. */
  isLookAlike?: boolean;
}

const idColumn = raw.ref("users.id");
const sortColumns: Record<string, RawBuilder<unknown>> = {
  id: idColumn,
  uuid: raw.ref("users.uuid"),
  username: byLetters("users.username"),
  email: byLetters("users.email"),
  display_name: byLetters("users.display_name"),
  role: raw.ref("users.role"),
  status: raw.ref("users.status"),
  group: byLetters("users.group"),
  quota: raw.ref("wallets.balance"),
  used_quota: raw.ref("users.used_quota"),
  request_count: raw.ref("users.request_count"),
  created_at: raw.ref("users.created_at"),
  created_time: raw.ref("users.created_at"),
  updated_at: raw.ref("users.updated_at"),
};

export type UserStore = ReturnType<typeof createUserStore>;

const takenColumns = {
  users_username: "username_taken",
  users_username_key: "username_taken",
  users_email_taken: "email_taken",
  users_external_id: "external_id_taken",
} as const;

/** The folded form changes with the name. */
const withKey = <Columns extends { username?: string | undefined }>(columns: Columns) =>
  columns.username === undefined
    ? columns
    : { ...columns, username_key: foldUsername(columns.username) };

/**
 * A new address is one that nobody has proved, unless the same change does. Mailboxes never differ
 * in case alone.
 */
const withProof = (change: UserColumnsChange) =>
  change.email === undefined || change.email_verified_at !== undefined
    ? change
    : {
        ...change,
        email_verified_at: raw<
          number | null
        >`case when lower(email) = lower(${change.email}) then email_verified_at end`,
      };

export function createUserStore(db: Pick<Database, "sql" | "read" | "dialect">) {
  const { sql, read } = db;
  /** Columns of an account from other tables. */
  const joinedColumns = [
    "wallets.balance",
    "wallets.held",
    "wallets.debt",
    "inviters.uuid as inviter_uuid",
  ] as const;
  const accounts = () =>
    sql
      .selectFrom("users")
      .innerJoin("wallets", "wallets.id", "users.wallet_id")
      .leftJoin("users as inviters", "inviters.id", "users.inviter_id")
      .selectAll("users")
      .select(joinedColumns);
  const living = () => accounts().where(isOtherThan("users.status", userStatus.deleted));

  /** The expression of the index, so that the index is used. */
  const byEmail = async (email: string): Promise<UserAccount | undefined> => {
    const owner = raw<boolean>`lower(users.email) = ${email.toLowerCase()} and users.status <> 3 and users.email <> ''`;
    const [row] = await read(accounts().where(owner));
    return row;
  };

  const matching = ({
    keyword,
    role,
    status,
    group,
    external_id,
    deleted: withDeleted,
  }: UserListQuery) =>
    sql
      .selectFrom("users")
      .where(matchesKeyword("users", ["username", "email", "display_name"], keyword))
      .$if(!withDeleted, (users) => users.where(isOtherThan("users.status", userStatus.deleted)))
      .$if(external_id !== undefined, (users) =>
        users.where("users.external_id", "=", external_id ?? ""),
      )
      .$if(status !== undefined, (users) => users.where("users.status", "=", status ?? 0))
      .$if(group !== undefined, (users) => users.where("users.group", "=", group ?? ""))
      .$if(role !== undefined, (users) => users.where("users.role", "=", role ?? 0));

  /**
   * `insertWithWallets` also inserts the budgets that templates give the accounts. Wallets are
   * found by their uuids, because their ids do not exist before the batch runs.
   */
  const insertWithWallets = (accounts: readonly AccountWithWallet[]): Write[] => {
    const wallets = accounts.map(({ row, walletUuid }) => ({
      uuid: walletUuid,
      created_at: row.created_at,
    }));
    const rows = accounts.map(({ row, walletUuid, isLookAlike }) => ({
      ...withKey(row),
      ...(isLookAlike && { username_key: null }),
      wallet_id: sql.selectFrom("wallets").select("id").where("uuid", "=", walletUuid),
    }));
    return [
      { query: sql.insertInto("wallets").values(wallets), rows: accounts.length },
      {
        query: sql.insertInto("users").values(rows),
        rows: accounts.length,
        conflict: takenColumns,
      },
      ...planInheritedBudgets(db, "user", rows),
    ];
  };

  return {
    page(query: UserListQuery): Promise<PagedRows<UserAccount>> {
      const found = matching(query);
      const rows = found
        .innerJoin("wallets", "wallets.id", "users.wallet_id")
        .leftJoin("users as inviters", "inviters.id", "users.inviter_id")
        .selectAll("users")
        .select(joinedColumns);
      return readPagedList(
        { sql, read },
        { rows, counted: found.select("users.id"), sortColumns, idColumn, query },
      );
    },

    async byId(id: number): Promise<UserAccount | undefined> {
      const [row] = await read(living().where("users.id", "=", id));
      return row;
    },

    async byReference(reference: Reference): Promise<UserAccount | undefined> {
      const [row] = await read(living().where(byReference("users", reference)));
      return row;
    },

    byEmail,

    async byExternalId(externalId: string): Promise<UserAccount | undefined> {
      const [row] = await read(living().where("users.external_id", "=", externalId));
      return row;
    },

    /**
     * An address first where the login has an @: a name of before today's rules may be the address
     * of another account. Otherwise the exact name, else its folded form.
     */
    async byLogin(login: string): Promise<UserAccount | undefined> {
      const addressed = login.includes("@") ? await byEmail(login) : undefined;
      if (addressed) return addressed;
      const [named] = await read(living().where("users.username", "=", login));
      if (named) return named;
      const [folded] = await read(living().where("users.username_key", "=", foldUsername(login)));
      return folded;
    },

    async isUsernameTaken(username: string): Promise<boolean> {
      const taken = sql
        .selectFrom("users")
        .select("id")
        .where("status", "<>", userStatus.deleted)
        .where((user) =>
          user.or([
            user("username", "=", username),
            user("username_key", "=", foldUsername(username)),
          ]),
        );
      return (await read(taken.limit(1))).length > 0;
    },

    async byUsername(username: string): Promise<UserAccount | undefined> {
      const [row] = await read(living().where("users.username", "=", username));
      return row;
    },

    /** `hasImported` says whether accounts of another system were ever imported. */
    async hasImported(): Promise<boolean> {
      const some = sql
        .selectFrom("imported")
        .select("our_id")
        .where("entity", "=", "user")
        .limit(1);
      return (await read(some)).length > 0;
    },

    async withRole(role: number): Promise<UserAccount | undefined> {
      const [row] = await read(
        living().where("users.role", "=", role).orderBy("users.id").limit(1),
      );
      return row;
    },

    insertWithWallet: (row: AccountWithWallet["row"], walletUuid: string): Write[] =>
      insertWithWallets([{ row, walletUuid }]),
    insertWithWallets,

    /** Misses when the account was edited after it was read. Spending does not count as an edit. */
    edit({ id, updated_at }: UserAccount, change: UserColumnsChange): Write {
      const same = sql
        .updateTable("users")
        .set(withProof(withKey(change)))
        .where("id", "=", id)
        .where("updated_at", "=", updated_at);
      return {
        query: same.where("status", "<>", userStatus.deleted),
        rows: 1,
        missed: "changed_meanwhile",
        conflict: takenColumns,
      };
    },

    /**
     * Misses when the account no longer has this role, and locks it until the batch ends. Two roots
     * who take the role from each other at the same moment cannot both succeed.
     */
    requireRole: (id: number, role: number): Write => ({
      query: sql
        .updateTable("users")
        .set({ role })
        .where("id", "=", id)
        .where("role", "=", role)
        .where("status", "=", 1),
      rows: 1,
      missed: "changed_meanwhile",
    }),

    /** Misses where the account is disabled or deleted; it stays as it is until the batch ends. */
    requireEnabled: (id: number): Write => ({
      query: sql
        .updateTable("users")
        .set({ status: userStatus.enabled })
        .where("id", "=", id)
        .where("status", "=", userStatus.enabled),
      rows: 1,
      missed: "changed_meanwhile",
    }),

    update(id: number, change: UserColumnsChange): Write {
      return {
        query: sql
          .updateTable("users")
          .set(withProof(withKey(change)))
          .where("id", "=", id)
          .where("status", "<>", userStatus.deleted),
        rows: 1,
        missed: "not_logged_in",
        conflict: takenColumns,
      };
    },
  };
}

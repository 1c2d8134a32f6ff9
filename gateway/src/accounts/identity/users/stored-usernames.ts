/**
 * Usernames of before today's rules: gives them their folded form, and lists those that an operator
 * should rename.
 */
import { userStatus } from "@tollgate/contract/accounts/roles.ts";
import { type Database, tryWrite } from "../../../storage/database.ts";
import { foldUsername, isAcceptedUsername } from "./username-rules.ts";

const pageSize = 1_000;

type NameReader = Pick<Database, "sql" | "read">;

async function* streamLivingNames({ sql, read }: NameReader, onlyUnfolded: boolean) {
  let after = 0;
  for (;;) {
    const living = sql
      .selectFrom("users")
      .select(["id", "username", "username_key"])
      .where("status", "<>", userStatus.deleted)
      .where("id", ">", after)
      .$if(onlyUnfolded, (users) => users.where("username_key", "is", null));
    const page = await read(living.orderBy("id").limit(pageSize));
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < pageSize) return;
    after = last.id;
  }
}

/**
 * Runs at each start and continues where an earlier one stopped. An account whose folded name
 * another one has keeps its name for signing in, and no folded form.
 */
export async function foldStoredUsernames(db: Database): Promise<void> {
  for await (const { id, username } of streamLivingNames(db, true)) {
    const unfolded = db.sql
      .updateTable("users")
      .where("id", "=", id)
      .where("username_key", "is", null);
    await tryWrite(db, [{ query: unfolded.set({ username_key: foldUsername(username) }) }]);
  }
}

export interface OddUsername {
  id: number;
  username: string;
  /** The account whose name looks the same; undefined for a name that only breaks the rules. */
  sameAs: { id: number; username: string } | undefined;
}

/** Names that could not be chosen today. */
export async function listOddUsernames(db: NameReader): Promise<OddUsername[]> {
  const odd: OddUsername[] = [];
  for await (const { id, username, username_key } of streamLivingNames(db, false)) {
    const users = db.sql
      .selectFrom("users")
      .select(["id", "username"])
      .where("status", "<>", userStatus.deleted);
    const [sameAs] =
      username_key === null
        ? await db.read(users.where("username_key", "=", foldUsername(username)))
        : [];
    if (sameAs || !isAcceptedUsername(username)) odd.push({ id, username, sameAs });
  }
  return odd;
}

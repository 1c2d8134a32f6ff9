/**
 * The user, key and channel here of a log row of the source, learned batch by batch and remembered
 * for the run.
 */
import type { SourceLog } from "../import-items.ts";
import type { ImportRun } from "../import-run.ts";

interface CarriedUser {
  id: number;
  username: string;
  /** `tokens` go by name, the keys of the user; undefined for a name that several have. */
  tokens: Map<string, number | undefined>;
}

export interface LogSubjects {
  learn(rows: readonly SourceLog[]): Promise<void>;
  user(row: SourceLog): { id: number; username: string } | undefined;
  channel(row: SourceLog): { id: number; name: string } | undefined;
  /** 0 where it is not known. */
  token(row: SourceLog): number;
}

export function createLogSubjects({
  db,
  imported,
}: Pick<ImportRun, "db" | "imported">): LogSubjects {
  const users = new Map<string, CarriedUser | undefined>();
  const channels = new Map<string, { id: number; name: string } | undefined>();
  const tokens = new Map<string, number | undefined>();

  const learnUsers = async (sourceIds: readonly string[]): Promise<void> => {
    const known = await imported.known("user", sourceIds);
    const ids = [...known.values()].map(({ ourId }) => ourId);
    const [accounts, owned] =
      ids.length === 0
        ? [[], []]
        : await Promise.all([
            db.read(db.sql.selectFrom("users").select(["id", "username"]).where("id", "in", ids)),
            db.read(
              db.sql
                .selectFrom("tokens")
                .select(["id", "user_id", "name"])
                .where("user_id", "in", ids),
            ),
          ]);
    const byId = new Map(
      accounts.map(({ id, username }): [number, CarriedUser] => [
        id,
        { id, username, tokens: new Map() },
      ]),
    );
    for (const { id, user_id, name } of owned) {
      const names = byId.get(user_id)?.tokens;
      names?.set(name, names.has(name) ? undefined : id);
    }
    for (const sourceId of sourceIds)
      users.set(sourceId, byId.get(known.get(sourceId)?.ourId ?? 0));
  };

  const learnChannels = async (sourceIds: readonly string[]): Promise<void> => {
    const known = await imported.known("channel", sourceIds);
    const ids = [...known.values()].map(({ ourId }) => ourId);
    const rows =
      ids.length === 0
        ? []
        : await db.read(
            db.sql.selectFrom("channels").select(["id", "name"]).where("id", "in", ids),
          );
    const byId = new Map(rows.map((row) => [row.id, row]));
    for (const sourceId of sourceIds)
      channels.set(sourceId, byId.get(known.get(sourceId)?.ourId ?? 0));
  };

  const learnTokens = async (sourceIds: readonly string[]): Promise<void> => {
    const known = await imported.known("token", sourceIds);
    for (const sourceId of sourceIds) tokens.set(sourceId, known.get(sourceId)?.ourId);
  };

  return {
    async learn(rows) {
      const unknown = <Id>(ids: readonly Id[], seen: ReadonlyMap<Id, unknown>): Id[] =>
        [...new Set(ids)].filter((id) => !seen.has(id));
      await learnUsers(
        unknown(
          rows.map(({ userSourceId }) => userSourceId),
          users,
        ),
      );
      await learnChannels(
        unknown(
          rows.map(({ channelSourceId }) => channelSourceId),
          channels,
        ),
      );
      await learnTokens(
        unknown(
          rows.flatMap(({ tokenSourceId }) => tokenSourceId ?? []),
          tokens,
        ),
      );
    },
    user: ({ userSourceId }) => users.get(userSourceId),
    channel: ({ channelSourceId }) => channels.get(channelSourceId),
    token: ({ tokenSourceId, userSourceId, tokenName }) =>
      (tokenSourceId === undefined
        ? users.get(userSourceId)?.tokens.get(tokenName)
        : tokens.get(tokenSourceId)) ?? 0,
  };
}

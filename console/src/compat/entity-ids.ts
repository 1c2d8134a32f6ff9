/**
 * Ids of entities: compatible servers send `id`, `uuid` or both, and differ in which one they read.
 */

export type EntityIds = { id?: number | string | undefined; uuid?: string | undefined };

/** The ids that the server sent: a missing one is NaN or empty (fit-reply.ts). */
const buildSentIds = ({ id, uuid }: EntityIds): EntityIds => ({
  ...(id !== undefined && !Number.isNaN(id) && { id }),
  ...(uuid !== undefined && uuid !== "" && { uuid }),
});

/** The id of an entity in a path, a link or a React key. */
export function readEntityRef(entity: EntityIds): string {
  const { id, uuid } = buildSentIds(entity);
  return String(uuid ?? id ?? "");
}

/**
 * A short id to show for an entity without a name. The last characters of a uuid, because the first
 * are a timestamp.
 */
export function readShortEntityRef(entity: EntityIds): string {
  const { id, uuid } = buildSentIds(entity);
  return String(id ?? uuid?.slice(-8) ?? "");
}

/** Both ids for a body: compatible servers differ in which one they read. */
export const buildEntityIds = <T extends EntityIds>(entity: T): Pick<T, "id" | "uuid"> =>
  buildSentIds(entity) as Pick<T, "id" | "uuid">;

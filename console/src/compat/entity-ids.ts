/** Ids of entities: compatible servers send `id`, `uuid` or both, and differ in which one they read. */

export type EntityIds = { id?: number | string | undefined; uuid?: string | undefined };

/** The id of an entity in a path, a link or a React key. */
export function entityRef(entity: EntityIds): string {
  return String(entity.uuid ?? entity.id ?? "");
}

/**
 * A short id to show for an entity without a name. The last characters of a uuid, because the first are a timestamp.
 */
export function shortEntityRef(entity: EntityIds): string {
  return String(entity.id ?? entity.uuid?.slice(-8) ?? "");
}

/** Both ids for a body: compatible servers differ in which one they read. */
export function entityIds<T extends EntityIds>(entity: T): Pick<T, "id" | "uuid"> {
  const ids: EntityIds = {};
  if (entity.id !== undefined) ids.id = entity.id;
  if (entity.uuid !== undefined) ids.uuid = entity.uuid;
  return ids as Pick<T, "id" | "uuid">;
}

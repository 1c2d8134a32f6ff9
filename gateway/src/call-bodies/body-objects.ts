/** The store of sealed contents of calls. Objects are written once. */

export interface BodyObjects {
  /** Rejects where it could not be stored. */
  put(name: string, bytes: Buffer): Promise<void>;
  /** Undefined where there is no such object. */
  get(name: string): Promise<Buffer | undefined>;
  /** An object that is gone already is no error. */
  remove(name: string): Promise<void>;
  close(): Promise<void>;
}

/**
 * `formatBodyObjectName` begins with the day, so that an operator, or the rule of a bucket, can
 * remove old ones at once. `createdAt`: milliseconds since the epoch.
 */
export function formatBodyObjectName(callId: number, createdAt: number): string {
  const day = new Date(createdAt).toISOString().slice(0, 10).replaceAll("-", "/");
  return `bodies/${day}/${callId}`;
}

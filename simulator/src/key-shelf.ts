// What the simulated providers keep in memory, that of each key apart.

export type KeptFile = {
  id: string;
  bytes: Buffer;
  filename: string;
  purpose: string;
  created_at: number;
};

/** A batch of one key. `polls` counts the questions about it. */
export type KeptBatch = { id: string; polls: number; object: Record<string, unknown> };

export type KeptMessageBatch = KeptBatch & {
  requests: Record<string, unknown>[];
  results: unknown[];
};

/** An object, and what was put into it: items or files. */
export type SimulatedObject = {
  object: Record<string, unknown>;
  parts: Map<string, Record<string, unknown>>;
};

/** A video of one key. `polls` counts the questions about it. */
export type KeptVideo = { id: string; polls: number; object: Record<string, unknown> };

export type KeptGeminiFile = { name: string; [member: string]: unknown };

/** An upload that has not ended. */
export type KeptUpload = { displayName: unknown; mimeType: string; size: number; pieces: Buffer[] };

/** The files and batches of one key, by id. */
export type KeyShelf = {
  files: Map<string, KeptFile>;
  batches: Map<string, KeptBatch>;
  messageBatches: Map<string, KeptMessageBatch>;
  objects: Map<string, SimulatedObject>;
  videos: Map<string, KeptVideo>;
  geminiFiles: Map<string, KeptGeminiFile>;
  uploads: Map<string, KeptUpload>;
};

export type FileShelves = { of(key: string): KeyShelf };

export function createFileShelves(): FileShelves {
  const shelves = new Map<string, KeyShelf>();
  return {
    of(key) {
      const known = shelves.get(key) ?? {
        files: new Map(),
        batches: new Map(),
        messageBatches: new Map(),
        objects: new Map(),
        videos: new Map(),
        geminiFiles: new Map(),
        uploads: new Map(),
      };
      shelves.set(key, known);
      return known;
    },
  };
}

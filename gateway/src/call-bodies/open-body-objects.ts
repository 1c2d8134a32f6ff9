import { buildBodyFolder } from "./body-folder.ts";
import type { BodyObjects } from "./body-objects.ts";
import type { BodyStoreSettings } from "./body-settings.ts";
import { buildS3Bodies } from "./s3-bodies.ts";

/** A folder, or a bucket of S3. */
export const openBodyObjects = (settings: BodyStoreSettings): BodyObjects =>
  settings.kind === "folder" ? buildBodyFolder(settings.path) : buildS3Bodies(settings);

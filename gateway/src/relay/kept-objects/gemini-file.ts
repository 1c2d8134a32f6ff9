/** A file of Gemini as the gateway names it. Its row has the address that requests name (`file_data.file_uri`). Pure. */
import { geminiFileUri } from "../provider-states/state-references.ts";
import { badAnswer, type ObjectApi } from "../stored-files/provider-objects.ts";
import { type JsonRecord, record } from "../wire/json-parts.ts";
import { besideGemini, type GeminiKind } from "./gemini-objects.ts";

const fileName = /^files\/[\w-]{1,256}$/;
const uriStart = geminiFileUri("");

/** The provider's address stands in the answer as requests must name it, whatever server the channel is behind. */
const shown = (file: JsonRecord): JsonRecord => ({ ...file, uri: geminiFileUri(nameIn(file)) });

export const geminiFiles: GeminiKind = {
  kind: "gemini_file",
  noun: "file",
  member: "files",
  pathOf: (uri) => uri.slice(uriStart.length),
  shown,
};

/** Uploads have a place of their own, which Google's API alone has; Vertex keeps no files. `$1` is the version. */
export const besideGeminiUploads: ObjectApi = { ...besideGemini, address: /\/(v1(?:beta)?)\/models$/ };
export const uploadPath = "upload/$1/files";

/** Throws `RelayRefused`. */
function nameIn({ name }: JsonRecord): string {
  if (typeof name === "string" && fileName.test(name)) return name;
  throw badAnswer("The provider's answer has no name of a file");
}

/** The file that an ended upload has become. Throws `RelayRefused`. */
export function uploadedFileIn(answer: JsonRecord): { uri: string; file: JsonRecord } {
  const file = record(answer.file);
  return { uri: geminiFileUri(nameIn(file)), file: shown(file) };
}

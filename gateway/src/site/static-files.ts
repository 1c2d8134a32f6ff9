/** The files that the console's build wrote, compressed where the browser takes that. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { extname, join, relative } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const contentTypes: Readonly<Record<string, string>> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".webmanifest": "application/manifest+json",
  ".json": "application/json; charset=utf-8",
  ".txt": "text/plain; charset=utf-8",
  ".woff2": "font/woff2",
};

const compressibleTypes = new Set([".js", ".css", ".svg", ".json", ".txt"]);

interface StaticFile {
  type: string;
  isHashed: boolean;
  content: Buffer;
  isCompressible: boolean;
  /**
   * `encodings` are what the build did not compress is compressed on its first request: all at once
   * would take half of the start-up time.
   */
  encodings: Map<ContentEncoding, Buffer>;
}

type ContentEncoding = "br" | "gzip";

const builtSuffix = ".br";

/**
 * `compressors` are for what the build did not compress. Takes a few milliseconds per file, once.
 */
const compressors: Readonly<Record<ContentEncoding, (plain: Buffer) => Buffer>> = {
  br: (plain) => brotliCompressSync(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
  gzip: (plain) => gzipSync(plain),
};

export function sendFile(
  request: IncomingMessage,
  response: ServerResponse,
  file: StaticFile,
): void {
  const accepted = String(request.headers["accept-encoding"] ?? "");
  const encoding = file.isCompressible ? findEncoding(accepted) : undefined;
  const body = encoding ? encodeContent(file, encoding) : file.content;
  response.writeHead(200, {
    "content-type": file.type,
    "content-length": body.length,
    "cache-control": file.isHashed ? "public, max-age=31536000, immutable" : "public, max-age=3600",
    "x-content-type-options": "nosniff",
    vary: "accept-encoding",
    ...(encoding ? { "content-encoding": encoding } : {}),
  });
  response.end(request.method === "HEAD" ? undefined : body);
}

function findEncoding(accepted: string): ContentEncoding | undefined {
  if (/\bbr\b/.test(accepted)) return "br";
  return /\bgzip\b/.test(accepted) ? "gzip" : undefined;
}

function encodeContent(
  { content, encodings: known }: StaticFile,
  encoding: ContentEncoding,
): Buffer {
  const body = known.get(encoding) ?? compressors[encoding](content);
  known.set(encoding, body);
  return body;
}

export function readFiles(folder: string): Map<string, StaticFile> {
  if (!existsSync(folder)) return new Map();
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(
      (entry) =>
        entry.isFile() && entry.name !== "index.html" && !entry.parentPath.includes(".vite"),
    )
    .map((entry) => join(entry.parentPath, entry.name));
  const builtNames = new Set(names.filter((name) => name.endsWith(builtSuffix)));
  return new Map(
    names
      .filter((name) => !builtNames.has(name))
      .map((name) => {
        const content = readFileSync(name);
        const compressedName = `${name}${builtSuffix}`;
        const extension = extname(name);
        const path = `/${relative(folder, name).replaceAll("\\", "/")}`;
        return [
          path,
          {
            type: contentTypes[extension] ?? "application/octet-stream",
            isHashed: path.startsWith("/assets/"),
            content,
            isCompressible: compressibleTypes.has(extension) && content.length > 512,
            encodings: new Map(
              builtNames.has(compressedName) ? [["br", readFileSync(compressedName)]] : [],
            ),
          },
        ];
      }),
  );
}

/**
 * An image of the Open Container Initiative, written without a container engine: an image is three
 * archives and some JSON. It holds Node, its libraries and the files of the npm package; no shell,
 * no package manager. Two builds of the same sources and the same Debian packages have the same
 * bytes.
 */
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { gatewayFlags } from "./gateway-node-options.ts";
import { type Architecture, layNodeRuntime } from "./node-runtime.ts";
import { tarOf } from "./tar-archive.ts";

const compress = promisify(gzip);

/** Neither root nor an id that distributions give to users or services. */
const user = "65532";
const programDir = "opt/tollgate";

const mediaTypes = {
  index: "application/vnd.oci.image.index.v1+json",
  manifest: "application/vnd.oci.image.manifest.v1+json",
  config: "application/vnd.oci.image.config.v1+json",
  layer: "application/vnd.oci.image.layer.v1.tar+gzip",
};

interface Descriptor {
  mediaType: string;
  digest: string;
  size: number;
  platform?: { architecture: string; os: string };
  annotations?: Record<string, string>;
}

interface Layer {
  descriptor: Descriptor;
  /** SHA-256 of the archive before compression. */
  diffId: string;
}

export interface ImageSources {
  root: string;
  /** The unpacked npm package. */
  packageDir: string;
  version: string;
  /** Of every file and of the image, in seconds since 1970. */
  createdAt: number;
}

/**
 * Writes an OCI layout to `outDir/oci` and, for engines that load a file, the archive of it, whose
 * path it returns. The image of all architectures has the version as its name, each single one the
 * version and its architecture.
 */
export async function buildOciImage(
  sources: ImageSources,
  architectures: readonly Architecture[],
  outDir: string,
): Promise<string> {
  const layout = join(outDir, "oci");
  rmSync(layout, { recursive: true, force: true });
  mkdirSync(join(layout, "blobs/sha256"), { recursive: true });
  const work = join(outDir, "work");
  const shared = [
    await programLayer(sources, layout, work),
    await dataLayer(sources, layout, work),
  ];
  const manifests: Descriptor[] = [];
  for (const architecture of architectures) {
    const runtime = await runtimeLayer(sources, architecture, layout, work);
    manifests.push(writeManifest(sources, architecture, [runtime, ...shared], layout));
  }
  rmSync(work, { recursive: true });
  const all = putBlob(layout, mediaTypes.index, {
    schemaVersion: 2,
    mediaType: mediaTypes.index,
    manifests,
  });
  const { version } = sources;
  writeFileSync(
    join(layout, "index.json"),
    JSON.stringify({
      schemaVersion: 2,
      mediaType: mediaTypes.index,
      manifests: [
        named(all, version),
        ...manifests.map((manifest) =>
          named(manifest, `${version}-${manifest.platform?.architecture}`),
        ),
      ],
    }),
  );
  writeFileSync(join(layout, "oci-layout"), JSON.stringify({ imageLayoutVersion: "1.0.0" }));
  const archive = join(outDir, `tollgate-${version}-oci.tar`);
  writeFileSync(archive, await tarOf(layout, sources.createdAt, "0"));
  return archive;
}

const named = (descriptor: Descriptor, name: string): Descriptor => ({
  ...descriptor,
  annotations: { "org.opencontainers.image.ref.name": name },
});

async function runtimeLayer(
  { root, createdAt }: ImageSources,
  architecture: Architecture,
  layout: string,
  work: string,
): Promise<Layer> {
  const dir = freshDir(join(work, `runtime-${architecture}`));
  await layNodeRuntime(root, join(work, "downloads"), architecture, dir);
  mkdirSync(join(dir, "etc"));
  writeFileSync(join(dir, "etc/passwd"), `tollgate:x:${user}:${user}::/data:/nonexistent\n`);
  writeFileSync(join(dir, "etc/group"), `tollgate:x:${user}:\n`);
  return putLayer(layout, await tarOf(dir, createdAt, "0"));
}

async function programLayer(
  { packageDir, createdAt }: ImageSources,
  layout: string,
  work: string,
): Promise<Layer> {
  const dir = freshDir(join(work, "program"));
  for (const name of ["gateway", "console", "LICENSE", "THIRD-PARTY.txt"])
    cpSync(join(packageDir, name), join(dir, programDir, name), { recursive: true });
  return putLayer(layout, await tarOf(dir, createdAt, "0"));
}

/** The folders that the program may write to. */
async function dataLayer(
  { createdAt }: ImageSources,
  layout: string,
  work: string,
): Promise<Layer> {
  const dir = freshDir(join(work, "data"));
  for (const name of ["data", "tmp"]) mkdirSync(join(dir, name), { mode: 0o700 });
  return putLayer(layout, await tarOf(dir, createdAt, user, ["data", "tmp"]));
}

function writeManifest(
  { version, createdAt }: ImageSources,
  architecture: Architecture,
  layers: readonly Layer[],
  layout: string,
): Descriptor {
  const created = new Date(createdAt * 1_000).toISOString();
  const config = putBlob(layout, mediaTypes.config, {
    created,
    architecture,
    os: "linux",
    config: {
      User: `${user}:${user}`,
      ExposedPorts: { "3000/tcp": {} },
      Env: [
        "PATH=/usr/bin",
        "NODE_ENV=production",
        "NODE_COMPILE_CACHE=/tmp/tollgate",
        "MALLOC_ARENA_MAX=2",
        "HOST=0.0.0.0",
        "PORT=3000",
        "DATA_DIR=/data",
      ],
      Entrypoint: ["/usr/bin/node", ...gatewayFlags, `/${programDir}/gateway/lib/main.mjs`],
      Volumes: { "/data": {} },
      WorkingDir: "/data",
      StopSignal: "SIGTERM",
      Labels: {
        "org.opencontainers.image.title": "Tollgate",
        "org.opencontainers.image.description":
          "A self-hosted gateway for AI APIs: quotas, exact charges, failover, and a web console",
        "org.opencontainers.image.version": version,
        "org.opencontainers.image.created": created,
      },
    },
    rootfs: { type: "layers", diff_ids: layers.map(({ diffId }) => diffId) },
    history: ["Node.js and its libraries", "Tollgate", "folders to write to"].map((created_by) => ({
      created,
      created_by,
    })),
  });
  const manifest = putBlob(layout, mediaTypes.manifest, {
    schemaVersion: 2,
    mediaType: mediaTypes.manifest,
    config,
    layers: layers.map(({ descriptor }) => descriptor),
  });
  return { ...manifest, platform: { architecture, os: "linux" } };
}

function freshDir(dir: string): string {
  rmSync(dir, { recursive: true, force: true });
  mkdirSync(dir, { recursive: true });
  return dir;
}

async function putLayer(layout: string, archive: Buffer): Promise<Layer> {
  const descriptor = putBytes(layout, mediaTypes.layer, await compress(archive));
  return { descriptor, diffId: digestOf(archive) };
}

const putBlob = (layout: string, mediaType: string, value: object): Descriptor =>
  putBytes(layout, mediaType, Buffer.from(JSON.stringify(value)));

function putBytes(layout: string, mediaType: string, bytes: Buffer): Descriptor {
  const digest = digestOf(bytes);
  writeFileSync(join(layout, "blobs", digest.replace(":", "/")), bytes);
  return { mediaType, digest, size: bytes.length };
}

const digestOf = (bytes: Buffer): string =>
  `sha256:${createHash("sha256").update(bytes).digest("hex")}`;

import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const folder = new URL("../console/public/", import.meta.url);
const manifest = JSON.parse(readFileSync(new URL("site.webmanifest", folder), "utf8")) as {
  start_url: string;
  scope: string;
  icons: { src: string }[];
};
const index = readFileSync(new URL("../console/index.html", import.meta.url), "utf8");

test("the page names the manifest, whose icons exist and whose addresses are below any path", () => {
  expect(index).toContain('<link rel="manifest" href="/site.webmanifest" />');
  for (const { src } of manifest.icons) expect(existsSync(new URL(src, folder)), src).toBe(true);
  const addresses = [manifest.start_url, manifest.scope, ...manifest.icons.map(({ src }) => src)];
  expect(addresses.filter((address) => address.startsWith("/"))).toEqual([]);
});

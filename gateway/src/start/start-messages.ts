/** Messages to an operator when the gateway has started, or cannot listen. */

import type { Config } from "../config/config.ts";
import { ConfigError } from "../config/config-error.ts";

export function buildUnlistenable(error: NodeJS.ErrnoException, { host, port }: Config): Error {
  if (error.code === "EADDRINUSE")
    return new ConfigError(
      `PORT ${port} is in use; stop the program that listens there or set PORT`,
    );
  if (error.code === "EADDRNOTAVAIL")
    return new ConfigError(`HOST ${host} is not an address of this machine`);
  if (error.code === "ENOTSUP")
    return new ConfigError("this system cannot share a port: leave out --processes");
  if (error.code === "EACCES")
    return new ConfigError(`PORT ${port} requires root; set a PORT above 1023`);
  return error;
}

export function composeBanner(
  address: string,
  { username, password }: { username: string; password: string },
): string {
  const lines = [
    "Tollgate is running",
    "",
    `Address:       ${address}`,
    `Sign in at:    ${new URL("/login", address).href}`,
    `User name:     ${username}`,
    `Root password: ${password}`,
    "",
    "This password is shown once and must be changed at the first sign-in.",
  ];
  const width = Math.max(...lines.map((line) => line.length));
  const row = (line: string): string => `  │ ${line.padEnd(width)} │`;
  const rule = "─".repeat(width + 2);
  return `\n  ┌${rule}┐\n${lines.map(row).join("\n")}\n  └${rule}┘\n\n`;
}

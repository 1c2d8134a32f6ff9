import fc from "fast-check";
import { expect, test } from "vitest";
import { readSourceAddress } from "./source-address.ts";

const server = { host: "127.0.0.1", port: 3306, socketPath: undefined, tls: "" };

test.each([
  ["/data/one-api.db", { kind: "sqlite", path: "/data/one-api.db" }],
  ["sqlite:/data/one-api.db", { kind: "sqlite", path: "/data/one-api.db" }],
  ["one-api@home.db", { kind: "sqlite", path: "one-api@home.db" }],
  ["postgres://u:p@h/n", { kind: "postgres", url: "postgres://u:p@h/n" }],
  [
    "root:123456@tcp(localhost:3306)/oneapi",
    {
      kind: "mysql",
      server: {
        ...server,
        user: "root",
        password: "123456",
        host: "localhost",
        database: "oneapi",
      },
    },
  ],
  [
    "root:p@ss/w:rd@tcp([2001:db8::1]:3307)/one?charset=utf8mb4&loc=Asia/Shanghai",
    {
      kind: "mysql",
      server: {
        ...server,
        user: "root",
        password: "p@ss/w:rd",
        host: "2001:db8::1",
        port: 3307,
        database: "one",
      },
    },
  ],
  [
    "u:p@tcp(db)/one?charset=utf8mb4&tls=skip-verify",
    {
      kind: "mysql",
      server: {
        ...server,
        user: "u",
        password: "p",
        host: "db",
        database: "one",
        tls: "skip-verify",
      },
    },
  ],
  ["u:@/one", { kind: "mysql", server: { ...server, user: "u", password: "", database: "one" } }],
  [
    "u:p@unix(/run/mysqld/mysqld.sock)/one",
    {
      kind: "mysql",
      server: {
        ...server,
        user: "u",
        password: "p",
        database: "one",
        socketPath: "/run/mysqld/mysqld.sock",
      },
    },
  ],
  [
    "mysql://u:p%40ss@db.example.com:3307/one?tls=true",
    {
      kind: "mysql",
      server: {
        ...server,
        user: "u",
        password: "p@ss",
        host: "db.example.com",
        port: 3307,
        database: "one",
        tls: "true",
      },
    },
  ],
])("%s", (text, address) => {
  expect(readSourceAddress(text)).toEqual(address);
});

test("any password comes out of Go's form as it went in", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (password) => {
      expect(readSourceAddress(`root:${password}@tcp(db:3306)/one`)).toMatchObject({
        kind: "mysql",
        server: { password, database: "one" },
      });
    }),
  );
});

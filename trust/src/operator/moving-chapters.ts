/** The chapters in which an operator moves in, and in which the first year ends well. */
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { startShadowRun, stopShadowRun } from "@tollgate/contract/figures/shadow.ts";
import { model } from "@tollgate/tests/harness/test-gateway.ts";
import { createFamilyDatabase, oldKey } from "@tollgate/tests/support/family-database.ts";
import type { OperatorChapter } from "./operator-chapter.ts";
import { type OperatorSite, providerKeys } from "./operator-site.ts";

const leaverKey = `sk-${"leaverKey".padEnd(48, "z")}`;
const perModel = (ratio: number): string => JSON.stringify({ [model]: ratio });
const agree = /The books agree\./;

const readSource = ({ folder }: OperatorSite): string => join(folder, "one-api.db");

/** A site of one-api: a person with a key, another one who leaves, and a channel. */
function createSource(site: OperatorSite): void {
  const person = { password: "", quota: 1_000_000_000 };
  const token = { unlimited_quota: 1, remain_quota: 0, created_time: 1_750_000_000 };
  createFamilyDatabase(readSource(site), "one-api", {
    options: [
      { key: "ModelRatio", value: perModel(1) },
      { key: "CompletionRatio", value: perModel(4) },
    ],
    channels: [
      {
        ...{ id: 1, type: 1, key: providerKeys.first, name: "first", group: "default" },
        ...{ base_url: site.simulator.url, models: model },
      },
    ],
    users: [
      { ...person, id: 2, username: "alice" },
      { ...person, id: 3, username: "leaver" },
    ],
    tokens: [
      { ...token, id: 1, user_id: 2, key: oldKey.slice(3), name: "work" },
      { ...token, id: 2, user_id: 3, key: leaverKey.slice(3), name: "last" },
    ],
  });
}

export const moveIn: OperatorChapter = {
  title: "move in",
  async play(site) {
    createSource(site);
    await site.expectCommand(/this is the plan/, "import", readSource(site), "--plan");
    await site.expectCommand(agree, "import", readSource(site));
    await site.start();
    await site.rebase();
    site.keepCalling(oldKey);
    await site.caller.nextAnswer();
    if ((await site.call(leaverKey)) !== 200) throw new Error("a key of before does not call");
  },
};

/** The gateway of before is the simulator, which answers the callers' own keys. */
export const runBoth: OperatorChapter = {
  title: "dual run and cut over",
  async play(site) {
    await site.simulator.script(oldKey, "ok");
    const root = await site.root();
    const body = { hours: 1, current_password: site.rootPassword };
    await site.caller.pause();
    const before = await site.readCounts();
    await root.call(startShadowRun, { body: { ...body, address: site.simulator.url } });
    site.caller.resume();
    for (let calls = 0; calls < 10; calls += 1) await site.caller.nextAnswer();
    // Deleted and spent there meanwhile.
    const source = new DatabaseSync(readSource(site));
    source.exec("delete from tokens where id = 2");
    source.exec("update users set quota = quota - 100, used_quota = used_quota + 100 where id = 2");
    source.close();
    await site.expectCommand(/this is the plan/, "import", readSource(site), "--plan");
    const importLast = () => site.expectCommand(agree, "import", readSource(site), "--cut-over");
    if (site.store === "sqlite") await site.during(importLast);
    else await importLast();
    await site.caller.nextAnswer();
    await site.caller.pause();
    await root.call(stopShadowRun);
    const after = await site.readCounts();
    site.caller.resume();
    if (after.charged !== before.charged) throw new Error("a call of the dual run was charged");
    await site.caller.nextAnswer();
    const status = await site.call(leaverKey);
    if (status !== 401) throw new Error(`a key that was deleted there answers ${status} here`);
  },
};

export const rotateMasterKey: OperatorChapter = {
  title: "the master key is changed",
  async play(site) {
    await site.during(() =>
      site.expectCommand(/none is sealed with the previous key/, "rotate-key", "--yes"),
    );
    await site.caller.nextAnswer();
  },
};

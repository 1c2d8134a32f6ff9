import type { Incident, IncidentChannel } from "@tollgate/contract/incidents.ts";
import { expect, test } from "vitest";
import { incidentSections } from "./incident-sections.ts";

test("a channel's statuses are counted, and what a server left out is a dash", () => {
  const channel = {
    channel_name: "Mirror",
    failed_attempts: 1_204,
    statuses: [
      { status: 503, attempts: 1_200 },
      { status: 0, attempts: 3 },
      { status: Number.NaN, attempts: Number.NaN },
    ],
    first_failed_at: null,
    last_failed_at: null,
    first_suspended_at: Number.NaN,
    last_suspended_at: null,
    last_error: "",
  } as unknown as IncidentChannel;
  const incident = { events: [], channels: [channel], users: [], failures: [] } as unknown as Incident;
  const rows = incidentSections(incident, ({ message = "" }) => message)[1]?.rows;
  expect(rows).toEqual([["Mirror", "1,204", "503 × 1,200, - × 3, - × -", "-", "-", "-"]]);
});

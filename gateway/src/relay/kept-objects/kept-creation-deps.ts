/** The needs of every creation of an object beside an API. */

import type { FrameDeps } from "../call-refusals.ts";
import type { AccountDeps } from "../creations/choose-accounts.ts";
import type { BeginCreationDeps, FreeCreationDeps } from "../creations/creation.ts";
import type { Guards } from "../guards/guards.ts";
import type { ReadBodyDeps } from "../read-body.ts";
import type { KeptDeps } from "./list-objects.ts";

export type KeptCreationDeps = KeptDeps &
  FrameDeps &
  AccountDeps &
  BeginCreationDeps &
  FreeCreationDeps &
  ReadBodyDeps & { guards: Guards };

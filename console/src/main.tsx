import { i18n } from "@lingui/core";
import { I18nProvider } from "@lingui/react";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { startLanguage } from "./i18n.ts";
import { router } from "./router.ts";
import { SessionProvider } from "./session.ts";
import { startSession } from "./shell/start-session.ts";
import { startTheme } from "./shell/theme.ts";
import "./styles.css";

async function start(place: HTMLElement) {
  startTheme();
  startSession(router);
  await startLanguage();
  createRoot(place).render(
    <StrictMode>
      <I18nProvider i18n={i18n}>
        <SessionProvider>
          <RouterProvider router={router} />
        </SessionProvider>
      </I18nProvider>
    </StrictMode>,
  );
}

const rootElement = document.getElementById("root");
if (rootElement === null) throw new Error("index.html has no element with the id root");
// No top-level await: it would make the bundler split all shared code into many small chunks.
start(rootElement).catch((error) => console.error("The console could not start", error));

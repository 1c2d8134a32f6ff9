/** The operator's public texts: markdown, HTML, or the address of a page to frame. */
import * as z from "zod/mini";
import { endpoint } from "../api/endpoint.ts";

const page = (path: string, summary: string) =>
  endpoint("GET", path, {
    access: "public",
    scope: "none",
    summary,
    data: z.string(),
    beforePasswordChange: true,
  });

export const getNotice = page("/api/notice", "The operator's notice");
export const getAbout = page("/api/about", "The content of the About page");
export const getHomePageContent = page("/api/home_page_content", "The content of the home page");

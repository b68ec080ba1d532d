// Downloads of the three kinds of places where the sources are. A file that is there is not fetched again; one that breaks
// off is not there.
import { execFileSync } from "node:child_process";
import { createWriteStream, existsSync, mkdirSync, renameSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

async function request(url) {
  const response = await fetch(url).catch((error) => {
    throw new Error(`${url} cannot be reached: ${error.cause?.message ?? error.message}`);
  });
  if (!response.ok) throw new Error(`${url} answers ${response.status}`);
  return response;
}

async function download(url, file) {
  if (existsSync(file)) return;
  console.log(`  ${url}`);
  mkdirSync(dirname(file), { recursive: true });
  const response = await request(url);
  await pipeline(Readable.fromWeb(response.body), createWriteStream(`${file}.part`));
  renameSync(`${file}.part`, file);
}

const FETCHERS = {
  git({ url }, folder) {
    const into = join(folder, basename(url));
    if (existsSync(into)) return;
    console.log(`  git clone ${url}`);
    execFileSync("git", ["clone", "--quiet", "--depth", "1", url, into], { stdio: "inherit" });
  },
  async "hugging-face"({ dataset, files }, folder) {
    const host = "https://huggingface.co";
    const isPattern = files[0] instanceof RegExp;
    const listed = isPattern
      ? await (await request(`${host}/api/datasets/${dataset}/tree/main?recursive=true`)).json()
      : files.map((path) => ({ path }));
    const wanted = listed.map(({ path }) => path).filter((path) => !isPattern || files[0].test(path));
    for (const path of wanted)
      await download(`${host}/datasets/${dataset}/resolve/main/${path}`, join(folder, path));
  },
  async "google-storage"({ bucket, prefix, files }, folder) {
    const api = `https://storage.googleapis.com/storage/v1/b/${bucket}/o`;
    let page = "";
    do {
      const query = new URLSearchParams({ prefix, fields: "items(name),nextPageToken", pageToken: page });
      const { items = [], nextPageToken = "" } = await (await request(`${api}?${query}`)).json();
      for (const { name } of items)
        if (files.test(name))
          await download(
            `https://storage.googleapis.com/${bucket}/${name.split("/").map(encodeURIComponent).join("/")}`,
            join(folder, name.slice(prefix.lastIndexOf("/") + 1)),
          );
      page = nextPageToken;
    } while (page !== "");
  },
};

export async function fetchAll(wanted, folder) {
  mkdirSync(folder, { recursive: true });
  for (const each of wanted) await FETCHERS[each.kind](each, folder);
}

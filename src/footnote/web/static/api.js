// Talking to the host that served this page, and to nothing else.

/** What the host said when it could not do what was asked. */
export class Failed extends Error {
  constructor(body, status) {
    super(body.message ?? "Footnote did not answer.");
    this.body = body;
    this.status = status;
  }
}

async function call(path, options) {
  let response;
  try {
    response = await fetch(path, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Failed({ message: "Footnote cannot be reached.", why: "The connection to it was lost.",
      remedy: "See whether it still runs, then ask again." }, 0);
  }
  let body;
  try {
    body = await response.json();
  } catch {
    throw new Failed({ message: "Footnote gave no readable reply." }, response.status);
  }
  if (!response.ok) throw new Failed(body, response.status);
  return body;
}

/** GET `path` as JSON. */
export const get = (path, signal) => call(path, { signal, headers: { accept: "application/json" } });

/** POST `body` as JSON to `path`. */
export const post = (path, body, signal) =>
  call(path, {
    method: "POST",
    signal,
    headers: { "content-type": "application/json", accept: "application/json" },
    body: JSON.stringify(body),
  });

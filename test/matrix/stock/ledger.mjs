// A merchant's books: a row for each event, and what its handler booked.
import { DatabaseSync } from "node:sqlite";

const db = new DatabaseSync(":memory:");
db.exec("CREATE TABLE events (id TEXT PRIMARY KEY)");
db.exec("CREATE TABLE bookings (event_id TEXT, type TEXT, cents INTEGER)");
const claim = db.prepare("INSERT OR IGNORE INTO events (id) VALUES (?)");
const release = db.prepare("DELETE FROM events WHERE id = ?");
const book = db.prepare("INSERT INTO bookings (event_id, type, cents) VALUES (?, ?, ?)");

function handle({ id, type, data }) {
  failIfAsked();
  book.run(id, type, Math.round(data?.amount?.value * 100));
}

/** Handles an event unless it was handled before. */
export function handleOnce(event) {
  if (claim.run(event.id).changes === 0) return;
  try {
    handle(event);
  } catch (error) {
    release.run(event.id);
    throw error;
  }
}

/** The effects, which a test reads. */
const list = db.prepare(
  "SELECT event_id AS eventId, type, cents AS amountCents, count(*) AS count FROM bookings GROUP BY event_id",
);
export const effects = () => list.all();

let failing = { failNext: 0 };

export function failNext(asked) {
  failing = asked;
}

/** Adds the effects' paths to an Express app. */
export function mountEffects(app, json) {
  app.get("/effects", (_req, res) => res.json(effects()));
  app.put("/effects", json, (req, res) => {
    failNext(req.body);
    res.sendStatus(204);
  });
}

function failIfAsked() {
  if (failing.failNext-- > 0) throw new Error(failing.reason);
}

import { text } from "node:stream/consumers";
import pg from "pg";
import { expect, it, onTestFinished } from "vitest";
import { describePostgres } from "../../receiver/test/inboxes/describe-postgres.ts";
import { listen } from "../../service/test/sandbox/listen.ts";
import { ran } from "./ran.ts";

const QUERY = "sql:SELECT event, kind, count(*) FROM shop.done GROUP BY event, kind";

describePostgres(
  "countersign verify receiver with effects in PostgreSQL",
  (server) => {
    it("reads a merchant's own table, and names an event that is handled under another type", async () => {
      const url = server().urlOf(await server().create());
      const pool = new pg.Pool({ connectionString: url });
      onTestFinished(() => pool.end());
      await pool.query("CREATE SCHEMA shop CREATE TABLE done (event text, kind text)");
      let kindOf = (type: string): string => type;
      const receiver = await listen((request, response) => {
        void text(request).then(async (body) => {
          const { id, type = "" } = JSON.parse(body) as { id?: string; type?: string };
          if (id !== undefined)
            await pool.query("INSERT INTO shop.done VALUES ($1, $2)", [id, kindOf(type)]);
          response.writeHead(id === undefined ? 400 : 200).end();
        });
      });
      const args = ["verify", "receiver", "--provider", "stripe", "--url", receiver];
      const types = ["--types", "charge.failed", "charge.refunded"];
      const own = ["--effects", QUERY, ...types, "--only", "receiver/genuine"];
      const env = {
        COUNTERSIGN_SECRET: "whsec_a-secret-of-a-stripe-endpoint",
        COUNTERSIGN_EFFECTS_DATABASE_URL: url,
      };
      const right = await ran([...args, ...own], env);
      expect(right.out).toMatch(/pass {3}R-ROUTE-ONE/);
      expect(right.status).toBe(0);

      kindOf = () => "invoice.paid";
      const wrong = await ran([...args, ...own], env);
      expect(wrong.out).toMatch(/expected one effect of charge\.failed, got 1 of invoice\.paid/);
      expect(wrong.status).toBe(1);
    });

    it("fails with the query's mistake, without the password of the database", async () => {
      const url = server()
        .urlOf(await server().create())
        .replace("postgres@", "postgres:hush@");
      const receiver = await listen((_request, response) => response.writeHead(200).end());
      const args = ["verify", "receiver", "--provider", "stripe", "--url", receiver];
      const { status, out, err } = await ran([...args, "--effects", QUERY], {
        COUNTERSIGN_SECRET: "whsec_a-secret-of-a-stripe-endpoint",
        COUNTERSIGN_EFFECTS_DATABASE_URL: url,
      });
      expect(err).toMatch(/CS_CLI_DATABASE_UNUSABLE: the query of --effects fails: relation/);
      expect(out + err).not.toContain("hush");
      expect(status).toBe(2);
    });
  },
  { tags: "ci" },
);

// NestJS with `rawBody: true` and standardwebhooks. Compiled by esbuild, for its decorators.
import "reflect-metadata";
import {
  Body,
  Controller,
  Get,
  HttpCode,
  Module,
  Post,
  Put,
  Req,
  UnauthorizedException,
} from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { Webhook } from "standardwebhooks";
import { effects, failNext, handleOnce } from "./ledger.mjs";

const { PORT, WEBHOOK_SECRET = "" } = process.env;
const webhook = new Webhook(WEBHOOK_SECRET);

@Controller()
class WebhooksController {
  @Post("webhooks")
  @HttpCode(204)
  receive(@Req() request) {
    handleOnce(this.verified(request));
  }

  verified(request) {
    try {
      return webhook.verify(request.rawBody, request.headers);
    } catch {
      throw new UnauthorizedException();
    }
  }

  @Get("effects")
  list() {
    return effects();
  }

  @Put("effects")
  @HttpCode(204)
  fail(@Body() asked) {
    failNext(asked);
  }
}

@Module({ controllers: [WebhooksController] })
class AppModule {}

const app = await NestFactory.create(AppModule, { rawBody: true, logger: false });
await app.listen(Number(PORT), "127.0.0.1");

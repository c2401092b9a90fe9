import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * A receiver on the JDK alone, as a merchant writes one by hand.
 *
 * <p>Reads COUNTERSIGN_SECRET (secrets, separated by white space) and prints `ready
 * http://127.0.0.1:PORT`. POST /webhooks takes attempts; GET /effects tells what has run, PUT
 * /effects {"failNext": n} makes the next n runs fail. Its argument is the folder of the published
 * schemas.
 */
public final class Receiver {
  private static final int MAX_BODY_BYTES = 1 << 20;
  private static final long TOLERANCE_SECONDS = 300;

  private record Known(boolean isHandled, byte[] body) {}

  private record Effect(String type, int count) {}

  private record Answer(int status, String code, String... headers) {}

  private static Schema schema;
  private static final Map<String, Known> inbox = new ConcurrentHashMap<>();
  private static final Map<String, Effect> effects = new ConcurrentHashMap<>();
  private static final AtomicInteger failNext = new AtomicInteger();
  private static final List<byte[]> keys =
      Arrays.stream(System.getenv("COUNTERSIGN_SECRET").trim().split("\\s+"))
          .map(secret -> Base64.getDecoder().decode(secret.replaceFirst("^whsec_", "")))
          .toList();

  public static void main(String[] arguments) throws IOException {
    schema = new Schema(Path.of(arguments[0]));
    HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 128);
    server.createContext("/webhooks", exchange -> answer(exchange, receive(exchange)));
    server.createContext("/effects", Receiver::effects);
    server.setExecutor(Executors.newCachedThreadPool());
    server.start();
    System.out.println("ready http://127.0.0.1:" + server.getAddress().getPort());
  }

  private static Answer receive(HttpExchange exchange) throws IOException {
    if (!exchange.getRequestMethod().equals("POST")) return new Answer(405, "method", "Allow", "POST");
    for (String encoding : all(exchange, "Content-Encoding"))
      if (!encoding.equalsIgnoreCase("identity")) return new Answer(415, "encoding");
    List<String> media = all(exchange, "Content-Type");
    if (media.size() != 1 || !media.get(0).matches("(?i)application/json\\s*(;.*)?"))
      return new Answer(415, "media_type");
    byte[] body = exchange.getRequestBody().readNBytes(MAX_BODY_BYTES + 1);
    if (body.length > MAX_BODY_BYTES) return new Answer(413, "too_large");
    if (!isGenuine(exchange, body)) return new Answer(401, "signature");

    Map<?, ?> event;
    try {
      String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(body)).toString();
      event = (Map<?, ?>) Json.parse(text);
      for (String name : List.of("id", "type", "timestamp")) ((String) event.get(name)).charAt(0);
      ((Map<?, ?>) event.get("data")).size();
    } catch (CharacterCodingException | RuntimeException fault) {
      return new Answer(400, "body");
    }
    if (!event.get("id").equals(all(exchange, "webhook-id").get(0))) return new Answer(400, "id");
    if (!schema.fits(event)) return new Answer(422, "schema");
    return handleOnce((String) event.get("id"), (String) event.get("type"), body);
  }

  private static boolean isGenuine(HttpExchange exchange, byte[] body) {
    List<String> ids = all(exchange, "webhook-id");
    List<String> times = all(exchange, "webhook-timestamp");
    List<String> lists = all(exchange, "webhook-signature");
    if (ids.size() != 1 || times.size() != 1 || lists.size() != 1) return false;
    String id = ids.get(0);
    String time = times.get(0);
    if (!id.matches("[A-Za-z0-9_-]{1,256}") || !time.matches("0|[1-9][0-9]{0,11}")) return false;
    boolean isSigned = false;
    for (byte[] key : keys) {
      byte[] digest = Base64.getEncoder().encode(hmac(key, id + "." + time + ".", body));
      for (String one : lists.get(0).split(" ")) {
        byte[] sent = one.substring(Math.min(3, one.length())).getBytes(StandardCharsets.ISO_8859_1);
        isSigned |= one.startsWith("v1,") && MessageDigest.isEqual(digest, sent);
      }
    }
    long age = Instant.now().getEpochSecond() - Long.parseLong(time);
    return isSigned && Math.abs(age) <= TOLERANCE_SECONDS;
  }

  private static byte[] hmac(byte[] key, String before, byte[] body) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(key, "HmacSHA256"));
      mac.update(before.getBytes(StandardCharsets.US_ASCII));
      return mac.doFinal(body);
    } catch (GeneralSecurityException fault) {
      throw new IllegalStateException(fault);
    }
  }

  private static Answer handleOnce(String id, String type, byte[] body) {
    Known known = inbox.putIfAbsent(id, new Known(false, body));
    if (known != null && !Arrays.equals(known.body, body)) return new Answer(409, "id_reused");
    if (known != null && known.isHandled) return new Answer(204, null);
    if (known != null) return new Answer(409, "in_progress", "Retry-After", "1");
    if (failNext.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
      inbox.remove(id);
      return new Answer(503, "failed", "Retry-After", "1");
    }
    try {
      Thread.sleep(15);
    } catch (InterruptedException stopped) {
      inbox.remove(id);
      return new Answer(503, "stopped", "Retry-After", "1");
    }
    effects.merge(id, new Effect(type, 1), (old, one) -> new Effect(type, old.count + 1));
    inbox.put(id, new Known(true, body));
    return new Answer(204, null);
  }

  private static void effects(HttpExchange exchange) throws IOException {
    if (exchange.getRequestMethod().equals("PUT")) {
      String asked = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
      Map<?, ?> members = (Map<?, ?>) Json.parse(asked);
      failNext.set(Integer.parseInt(members.get("failNext").toString()));
      answer(exchange, new Answer(204, null));
      return;
    }
    StringBuilder list = new StringBuilder("[");
    effects.forEach(
        (id, effect) ->
            list.append(list.length() > 1 ? "," : "")
                .append("{\"eventId\":\"%s\",\"type\":".formatted(id))
                .append(quoted(effect.type))
                .append(",\"count\":%d}".formatted(effect.count)));
    send(exchange, 200, list.append("]").toString());
  }

  private static String quoted(String text) {
    StringBuilder made = new StringBuilder("\"");
    for (char one : text.toCharArray())
      made.append(
          one < ' ' || one == '"' || one == '\\' ? "\\u%04x".formatted((int) one) : one);
    return made.append('"').toString();
  }

  private static void answer(HttpExchange exchange, Answer answer) throws IOException {
    for (int at = 0; at < answer.headers.length; at += 2)
      exchange.getResponseHeaders().set(answer.headers[at], answer.headers[at + 1]);
    send(exchange, answer.status, answer.code == null ? "" : "{\"code\":\"" + answer.code + "\"}");
  }

  private static void send(HttpExchange exchange, int status, String text) throws IOException {
    byte[] body = text.getBytes(StandardCharsets.UTF_8);
    if (body.length > 0) exchange.getResponseHeaders().set("Content-Type", "application/json");
    boolean isEmpty = body.length == 0 || exchange.getRequestMethod().equals("HEAD");
    exchange.sendResponseHeaders(status, isEmpty ? -1 : body.length);
    if (!isEmpty) exchange.getResponseBody().write(body);
    exchange.close();
  }

  private static List<String> all(HttpExchange exchange, String name) {
    return exchange.getRequestHeaders().getOrDefault(name, List.of());
  }
}

# Sinatra, with the signature verified by hand.
require "base64"
require "json"
require "openssl"
require "sinatra/base"
require "sqlite3"

KEY = Base64.decode64(ENV.fetch("WEBHOOK_SECRET").delete_prefix("whsec_"))
DB = SQLite3::Database.new(":memory:")
DB.execute("CREATE TABLE events (id TEXT PRIMARY KEY, type TEXT)")
LOCK = Mutex.new

class Receiver < Sinatra::Base
  set :server, :webrick
  set :bind, "127.0.0.1"
  set :port, ENV.fetch("PORT")
  set :environment, :production
  set :fail_next, 0

  def genuine?(body)
    id, timestamp, signatures =
      %w[ID TIMESTAMP SIGNATURE].map { |name| request.env["HTTP_WEBHOOK_#{name}"].to_s }
    return false if id.empty? || !timestamp.match?(/\A\d+\z/)
    return false if (Time.now.to_i - timestamp.to_i).abs > 300
    digest = OpenSSL::HMAC.digest("SHA256", KEY, "#{id}.#{timestamp}.#{body}")
    expected = "v1,#{Base64.strict_encode64(digest)}"
    signatures.split(" ").any? { |one| Rack::Utils.secure_compare(one, expected) }
  end

  post "/webhooks" do
    body = request.body.read
    halt 401 unless genuine?(body)
    event = JSON.parse(body)
    LOCK.synchronize do
      DB.transaction do
        DB.execute("INSERT OR IGNORE INTO events VALUES (?, ?)", [event["id"], event["type"]])
        if DB.changes == 1 && settings.fail_next > 0
          settings.fail_next -= 1
          raise "told to fail"
        end
      end
    end
    204
  end

  get "/effects" do
    rows = LOCK.synchronize { DB.execute("SELECT id, type FROM events") }
    rows.map { |id, type| { eventId: id, type: type, count: 1 } }.to_json
  end

  put "/effects" do
    settings.fail_next = JSON.parse(request.body.read)["failNext"]
    204
  end

  run!
end

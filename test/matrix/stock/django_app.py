# Django in one file, and its own server.
import json, os, sys
from django.conf import settings
from django.core.management import execute_from_command_line
from django.http import HttpResponse, JsonResponse
from django.urls import path
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST
from merchant import effects, failing, handle_once, is_genuine

settings.configure(ROOT_URLCONF=__name__, ALLOWED_HOSTS=["127.0.0.1"], SECRET_KEY="unused")


@csrf_exempt
@require_POST
def receive(request):
    if not is_genuine(request.headers, request.body):
        return HttpResponse(status=401)
    handle_once(json.loads(request.body))
    return HttpResponse(status=204)


@csrf_exempt
def report(request):
    if request.method == "PUT":
        failing.update(json.loads(request.body))
        return HttpResponse(status=204)
    return JsonResponse(effects(), safe=False)


urlpatterns = [path("webhooks", receive), path("effects", report)]
address = "127.0.0.1:" + os.environ["PORT"]
execute_from_command_line([sys.argv[0], "runserver", "--noreload", address])
